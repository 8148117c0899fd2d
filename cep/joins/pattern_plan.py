"""A query over several events, taken apart: order, distances in time, join keys, and what is left to test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import timedelta
from itertools import permutations, product

import polars as pl

from ...errors import OperatorError
from ...expressions import column_expression, micros, of_single_events, plain_name
from ...language.nodes import (
    Aggregate,
    Binary,
    Binding,
    Column,
    CorrelationWindow,
    Expression,
    Link,
    Query,
    SlidingWindow,
    Window,
    columns_of,
    conjuncts,
    structural_key,
    variables_of,
)
from ..order import UNBOUNDED, Bounds, bounds_with_last, key_expressions
from .pattern_dnf import Alternative, alternatives

__all__ = ["Condition", "Key", "PatternPlan", "QueryPlan", "match_name", "plan_pattern"]


@dataclass(frozen=True, slots=True)
class Key:
    """Expressions over candidates, one for each of several variables, that are equal in a match.

    Attributes:
        expressions: by variable, over its candidates' plain columns.
        nulls_match: unbound equals unbound (PARTITION BY) or nothing (JOIN).
    """

    expressions: Mapping[str, pl.Expr]
    nulls_match: bool


@dataclass(frozen=True, slots=True)
class Condition:
    """What has to be true of a match, over columns named by `match_name`."""

    variables: AbstractSet[str]
    columns: tuple[Column | Binding, ...]
    test: pl.Expr


@dataclass(frozen=True, slots=True)
class PatternPlan:
    """One way to match a query: what the matcher works from.

    Attributes:
        variables: those that it binds, in order of FROM.
        streams: the stream of each variable: only events of one stream can be the same.
        bounds: by the variable whose event is the last one, how far apart the events of a match lie.
        reach: the bounds that hold whichever is the last.
        counts: variables whose event is among the last so many candidates when the last event comes.
        keys: equalities.
        conditions: the conditions on several variables, those of other ways and of NOTs among them.
        alternative: order, links and absences.
    """

    variables: tuple[str, ...]
    streams: Mapping[str, str]
    bounds: Mapping[str, Bounds]
    reach: Bounds
    counts: Mapping[str, int]
    keys: tuple[Key, ...]
    conditions: tuple[Condition, ...]
    alternative: Alternative


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A query taken apart.

    Attributes:
        ways: the ways to match it.
        keys: equalities, also between variables that no way binds together.
        own: conditions on one variable, over its plain columns; of a variable whose candidates are counted they are
            among `conditions`, because what they refuse counts too.
        conditions: the conditions on several variables.
        verdicts: what is asked of complete matches.
        widths: by pair of variables, the shortest WINDOW that names both, in microseconds.
        shortest: the shortest WINDOW.
    """

    ways: tuple[PatternPlan, ...]
    keys: tuple[Key, ...]
    own: Mapping[str, list[pl.Expr]]
    conditions: tuple[Condition, ...]
    verdicts: tuple[Expression, ...]
    widths: Mapping[tuple[str, str], int]
    shortest: int

    @property
    def logical(self) -> bool:
        """Whether any event may be passed over anywhere, so that the constraints alone say what matches."""
        return all(link is Link.ANY for way in self.ways for link in way.alternative.links.values())


def match_name(node: Column | Binding | Aggregate) -> str:
    """The column of a node in a frame of matches: `e1.flowrate`, `e1.?room`; of an aggregate what it says."""
    if isinstance(node, Aggregate):
        return str(structural_key(node))
    return f"{node.variable}.{plain_name(node)}"


def plan_pattern(query: Query) -> QueryPlan:
    """Take a query apart.

    Raises:
        OperatorError: its pattern repeats something, or a window is of no use for matches of several events.
    """
    ways = alternatives(query)
    simple = len(ways) == 1 and set(ways[0].links.values()) <= {Link.ANY}
    counts = _counts(query)
    verdicts = _verdicts(query)
    keys = list(_partition_keys(query))
    own: dict[str, list[pl.Expr]] = {source.variable: [] for source in query.sources}
    later: list[Condition] = []
    for e, needs in _conjuncts(query, verdicts if simple else [], simple=simple):
        key = _key(e) if needs == variables_of(e) else None
        if key is not None:
            keys.append(key)
        elif len(needs) > 1 or needs & counts.keys():
            later.append(_condition(e, needs))
        else:
            own[next(iter(needs))].append(column_expression(e))
    shared = (counts, tuple(keys), tuple(later))
    windows = _windows(query)
    return QueryPlan(
        tuple(_way(query, alternative, windows, shared) for alternative in ways),
        tuple(keys),
        own,
        tuple(later),
        () if simple else tuple(verdicts),
        _widths(windows),
        min((micros(w.width) for w in query.windows if isinstance(w, CorrelationWindow)), default=UNBOUNDED),
    )


def _conjuncts(
    query: Query, verdicts: list[Expression], *, simple: bool
) -> Iterator[tuple[Expression, AbstractSet[str]]]:
    """What has to be true of a match, and which variables have to be bound before it is asked.

    A JOIN is asked as a whole, when all its variables are bound. Only where the constraints alone say what matches
    may its conjuncts be asked earlier, each by itself.
    """
    absent = {absence.variable for way in alternatives(query) for absence in way.absences}
    for e in (*query.joins, *verdicts):
        mentioned = variables_of(e) or {query.sources[0].variable}
        for part in conjuncts(e):
            apart = simple and mentioned.isdisjoint(absent)
            yield of_single_events(part), (variables_of(part) or mentioned) if apart else mentioned


def _condition(e: Expression, variables: AbstractSet[str]) -> Condition:
    return Condition(variables, columns_of(e), column_expression(e, match_name))


def _way(
    query: Query,
    alternative: Alternative,
    windows: _Windows,
    shared: tuple[Mapping[str, int], tuple[Key, ...], tuple[Condition, ...]],
) -> PatternPlan:
    variables = tuple(s.variable for s in query.sources if s.variable in alternative.variables)
    streams = {source.variable: source.stream.name for source in query.sources}
    gaps = _gaps(alternative)
    own = [(tuple(v for v in members if v in variables), width) for members, width in windows]
    sliding: dict[str, int] = {}
    for w in query.windows:
        if isinstance(w, SlidingWindow) and isinstance(w.extent, timedelta):
            sliding[w.variable] = min(micros(w.extent), sliding.get(w.variable, micros(w.extent)))
    preceding = frozenset[str]().union(*alternative.before.values())
    bounds = {v: bounds_with_last(variables, v, gaps, own, sliding) for v in variables if v not in preceding}
    reach = bounds_with_last(variables, None, gaps, own, sliding)
    return PatternPlan(variables, streams, bounds, reach, *shared, alternative)


def _gaps(alternative: Alternative) -> dict[tuple[str, str], int]:
    """How far apart, at the least, what stands in order lies: a link takes a microsecond, FOR its duration."""
    gaps = {(u, v): 1 for v, before in alternative.before.items() for u in before}
    for absence in alternative.absences:
        for u, v in product(absence.before, absence.after):
            gaps[u, v] = max(gaps[u, v], 1 + (absence.duration or 0))
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


def _verdicts(query: Query) -> list[Expression]:
    having = [] if query.having is None else [query.having]
    return [*having, *(item.condition for item in query.items if item.condition is not None)]


def _key(e: Expression) -> Key | None:
    if not isinstance(e, Binary) or e.operator != "=":
        return None
    left, right = variables_of(e.left), variables_of(e.right)
    if len(left) != 1 or len(right) != 1 or left == right:
        return None
    pair = key_expressions(e.left, e.right, plain_name)
    return None if pair is None else Key(dict(zip((*left, *right), pair, strict=True)), nulls_match=False)


def _partition_keys(query: Query) -> tuple[Key, ...]:
    return tuple(
        Key({variable: pl.col(column) for variable, column in columns}, nulls_match=True)
        for columns in query.partition_by
        if len(columns) > 1
    )


def _correlated(window: Window) -> tuple[tuple[str, ...], int]:
    if not isinstance(window, CorrelationWindow):
        raise OperatorError(
            f"{type(window).__name__} over several variables cannot be run yet", hint="write WINDOW (?a, ?b, 5min)"
        )
    return window.variables, micros(window.width)
