"""A query over several events, taken apart: order, distances in time, join keys, and what is left to test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import permutations, product

import polars as pl

from ...errors import OperatorError
from ...expressions import column_expression, micros, of_single_events, plain_name
from ...language.nodes import (
    Binary,
    Call,
    CorrelationWindow,
    Expression,
    Intrinsic,
    Link,
    Query,
    SlidingWindow,
    Window,
    columns_of,
    conjuncts,
    expression_text,
    variables_of,
)
from ..match import JoinKey, JoinPredicate
from ..order import UNBOUNDED, Bounds, bounds_with_last, key_expressions
from ..output import ConditionCount, match_name
from ..partitions import RESERVED
from .pattern_dnf import PartialOrder, disjuncts
from .sum_bounds import SumCondition, sum_condition

__all__ = ["DisjunctPlan", "PatternPlan", "plan_pattern"]


@dataclass(frozen=True, slots=True)
class DisjunctPlan:
    """One disjunct of a pattern: what joins work from.

    Attributes:
        variables: those that it binds, in order of FROM.
        streams: the stream of each variable: only events of one stream can be the same.
        bounds: by the variable whose event is the last one, how far apart the events of a match lie.
        reach: the bounds that hold whichever is the last.
        counts: variables whose event is among the last so many candidates when the last event comes.
        keys: equalities.
        conditions: the conditions on several variables, those of other disjuncts and of NOTs among them.
        sums: those of them that compare sums, and that this disjunct binds all variables of.
        order: order, links and negations.
    """

    variables: tuple[str, ...]
    streams: Mapping[str, str]
    bounds: Mapping[str, Bounds]
    reach: Bounds
    counts: Mapping[str, int]
    keys: tuple[JoinKey, ...]
    conditions: tuple[JoinPredicate, ...]
    sums: tuple[SumCondition, ...]
    order: PartialOrder


@dataclass(frozen=True, slots=True)
class PatternPlan:
    """A query taken apart.

    Attributes:
        disjuncts: of its pattern.
        keys: equalities, also between variables that no disjunct binds together.
        own: conditions on one variable, over its plain columns; of a variable whose candidates are counted they are
            among `conditions`, because what they refuse counts too.
        conditions: the conditions on several variables.
        verdicts: what is asked of complete matches.
        widths: by pair of variables, the shortest WINDOW that names both, in microseconds.
        shortest: the shortest WINDOW.
    """

    disjuncts: tuple[DisjunctPlan, ...]
    keys: tuple[JoinKey, ...]
    own: Mapping[str, list[JoinPredicate]]
    conditions: tuple[JoinPredicate, ...]
    verdicts: tuple[Expression, ...]
    widths: Mapping[tuple[str, str], int]
    shortest: int

    @property
    def counts(self) -> tuple[ConditionCount, ...]:
        """Of all that is asked of matches, in the order of the clauses; not of what NOTs ask of their candidates."""
        bound = {v for disjunct in self.disjuncts for v in disjunct.variables}
        own = [c for of_variable in self.own.values() for c in of_variable if c.count.clause != "JOIN"]
        asked = [c for c in (*self.conditions, *own) if c.variables <= bound]
        keys = [key.count for key in self.keys if len(key.expressions.keys() & bound) > 1]
        keys = [count for count in keys if not count.text.startswith(RESERVED)]
        return tuple(replace(count) for count in (*keys, *(c.count for c in asked)))

    @property
    def counted(self) -> tuple[ConditionCount, ...]:
        """All that counts, but keys that no text names."""
        own = [c.count for of_variable in self.own.values() for c in of_variable]
        keys = [key.count for key in self.keys if not key.count.text.startswith(RESERVED)]
        return (*keys, *(c.count for c in self.conditions), *own)

    def take_counts(self, other: PatternPlan) -> None:
        """Count what was counted by a plan of the same query with other bounds, which begins anew."""
        for own, count in zip(self.counted, other.counted, strict=True) if other is not self else ():
            own.add(count.asked, count.held)
            count.asked = count.held = 0

    def mark_counts(self) -> Callable[[], None]:
        """What brings back the counts of now."""
        before = [(count, count.asked, count.held) for count in self.counted]

        def rewind() -> None:
            for count, asked, held in before:
                count.asked, count.held = asked, held

        return rewind

    @property
    def logical(self) -> bool:
        """Whether any event may be passed over anywhere, so that the constraints alone say what matches."""
        return all(link is Link.ANY for disjunct in self.disjuncts for link in disjunct.order.links.values())


def plan_pattern(query: Query) -> PatternPlan:
    """Take a query apart.

    Raises:
        OperatorError: its pattern repeats something, or a window is of no use for matches of several events.
    """
    orders = disjuncts(query)
    simple = len(orders) == 1 and not query.after_match.is_mode and set(orders[0].links.values()) <= {Link.ANY}
    counts = _counts(query)
    verdicts = _verdicts(query)
    keys = _partition_keys(query)
    own: dict[str, list[JoinPredicate]] = {source.variable: [] for source in query.sources}
    later: list[JoinPredicate] = []
    sums: list[SumCondition] = []
    for clause, e, needs in _conjuncts(query, verdicts if simple else [], simple=simple):
        count = ConditionCount(clause, _text(query, e))
        key, decides = _key(e, count) if needs == variables_of(e) else (None, False)
        keys += [] if key is None else [key]
        if decides:
            continue
        if len(needs) > 1 or needs & counts.keys():
            later.append(JoinPredicate(needs, columns_of(e), column_expression(e, match_name), count))
            sums += [] if (found := sum_condition(e)) is None else [found]
        else:
            own[next(iter(needs))].append(JoinPredicate(needs, columns_of(e), column_expression(e), count))
    shared = (counts, tuple(keys), tuple(later), tuple(sums))
    windows = _windows(query)
    return PatternPlan(
        tuple(_disjunct(query, order, windows, shared) for order in orders),
        tuple(keys),
        own,
        tuple(later),
        () if simple else tuple(e for _, e in verdicts),
        _widths(windows),
        min((micros(w.width) for w in query.windows if isinstance(w, CorrelationWindow)), default=UNBOUNDED),
    )


def _conjuncts(
    query: Query, verdicts: list[tuple[str, Expression]], *, simple: bool
) -> Iterator[tuple[str, Expression, AbstractSet[str]]]:
    """Clause by clause what has to be true of a match, and which variables have to be bound before it is asked.

    A JOIN is asked as a whole, when all its variables are bound. Only where the constraints alone say what matches
    may its conjuncts be asked earlier, each by itself.
    """
    absent = {negation.variable for disjunct in disjuncts(query) for negation in disjunct.negations}
    for clause, e in (*(("JOIN", join) for join in query.joins), *verdicts):
        mentioned = variables_of(e) or {query.sources[0].variable}
        for part in conjuncts(e):
            apart = simple and mentioned.isdisjoint(absent)
            yield clause, of_single_events(part), (variables_of(part) or mentioned) if apart else mentioned


def _text(query: Query, e: Expression) -> str:
    """A condition as it is written; what integers that leave their range make of it is nothing to read."""
    return expression_text(e) if query.document is None else query.document.quote(e.span)


def _disjunct(
    query: Query,
    order: PartialOrder,
    windows: _Windows,
    shared: tuple[Mapping[str, int], tuple[JoinKey, ...], tuple[JoinPredicate, ...], tuple[SumCondition, ...]],
) -> DisjunctPlan:
    variables = tuple(s.variable for s in query.sources if s.variable in order.variables)
    streams = {source.variable: source.stream.name for source in query.sources}
    gaps = _gaps(order)
    own = [(tuple(v for v in members if v in variables), width) for members, width in windows]
    sliding: dict[str, int] = {}
    for w in query.windows:
        if isinstance(w, SlidingWindow) and isinstance(w.extent, timedelta):
            sliding[w.variable] = min(micros(w.extent), sliding.get(w.variable, micros(w.extent)))
    preceding = frozenset[str]().union(*order.before.values())
    bounds = {v: bounds_with_last(variables, v, gaps, own, sliding) for v in variables if v not in preceding}
    reach = bounds_with_last(variables, None, gaps, own, sliding)
    counts, keys, conditions, sums = shared
    own_sums = tuple(one for one in sums if one.terms.keys() <= set(variables))
    return DisjunctPlan(variables, streams, bounds, reach, counts, keys, conditions, own_sums, order)


def _gaps(order: PartialOrder) -> dict[tuple[str, str], int]:
    """How far apart, at the least, what stands in order lies: a link takes a microsecond, FOR its duration."""
    gaps = {(u, v): 1 for v, before in order.before.items() for u in before}
    for negation in order.negations:
        for u, v in product(negation.before, negation.after):
            gaps[u, v] = max(gaps[u, v], 1 + (negation.duration or 0))
    return gaps


_Windows = Sequence[tuple[tuple[str, ...], int]]


def _windows(query: Query) -> _Windows:
    windows = [_correlated(w) for w in query.windows if not isinstance(w, SlidingWindow)]
    if query.retention is not None:
        windows.append((tuple(source.variable for source in query.sources), micros(query.retention)))
    return windows


def _widths(windows: _Windows) -> dict[tuple[str, str], int]:
    widths: dict[tuple[str, str], int] = {}
    for members, width in windows:
        widths |= {pair: min(width, widths.get(pair, width)) for pair in permutations(members, 2)}
    return widths


def _counts(query: Query) -> dict[str, int]:
    counts: dict[str, int] = {}
    for w in query.windows:
        if isinstance(w, SlidingWindow) and isinstance(w.extent, int):
            counts[w.variable] = min(w.extent, counts.get(w.variable, w.extent))
    return counts


def _verdicts(query: Query) -> list[tuple[str, Expression]]:
    having = [] if query.having is None else [("HAVING", query.having)]
    return [*having, *(("SELECT", item.condition) for item in query.items if item.condition is not None)]


def _key(e: Expression, count: ConditionCount) -> tuple[JoinKey | None, bool]:
    """What candidates have to agree in; and whether that is all that a condition asks."""
    match e:
        case Call(function=Intrinsic.OVERFLOW, arguments=(_, doubles)):  # equal integers are equal as doubles, too
            return _equality(doubles, replace(count, looked_up=True)), False
        case _:
            found = _equality(e, replace(count, looked_up=True))
            return found, found is not None


def _equality(e: Expression, count: ConditionCount) -> JoinKey | None:
    if not isinstance(e, Binary) or e.operator != "=":
        return None
    left, right = variables_of(e.left), variables_of(e.right)
    if len(left) != 1 or len(right) != 1 or left == right:
        return None
    pair = key_expressions(e.left, e.right, plain_name)
    return (
        None if pair is None else JoinKey(dict(zip((*left, *right), pair, strict=True)), nulls_match=False, count=count)
    )


def _partition_keys(query: Query) -> list[JoinKey]:
    return [
        JoinKey(
            {variable: pl.col(column) for variable, column in columns},
            nulls_match=True,
            count=ConditionCount("PARTITION BY", columns[0][1], looked_up=True),
        )
        for columns in query.partition_by
        if len(columns) > 1
    ]


def _correlated(window: Window) -> tuple[tuple[str, ...], int]:
    if not isinstance(window, CorrelationWindow):
        raise OperatorError(
            f"{type(window).__name__} over several variables cannot be run yet", hint="write WINDOW (?a, ?b, 5min)"
        )
    return window.variables, micros(window.width)
