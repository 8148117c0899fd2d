"""What partial matches of a pattern may have bound so far: parts of the query, each a query of its own (LANGUAGE-2 §9).

Where any event may be passed over and nothing must be absent, a set of events that satisfies what a query says of
these variables alone is a partial match as long as an event of a further variable can come.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...expressions import micros
from ...language.nodes import (
    AfterMatchKind,
    Conjunction,
    CorrelationWindow,
    Element,
    Link,
    Negation,
    Pattern,
    Query,
    Timer,
    variables_of,
    walk_pattern,
)
from ...language.nodes import Sequence as Links
from ..order import UNBOUNDED
from .pattern_dnf import PartialOrder, disjuncts, vectorisable
from .pattern_plan import PatternPlan, plan_pattern

__all__ = ["PatternPart", "pattern_parts"]

_MOST = 64
"""So many parts are each looked for by themselves; patterns that have more are those of an automaton."""


@dataclass(frozen=True, slots=True)
class PatternPart:
    """Variables that are bound before the others.

    Attributes:
        plan: what is asked of them.
        waits: by bound variable, the shortest WINDOW over it and one that has still to come, in microseconds.
    """

    plan: PatternPlan
    waits: Mapping[str, int]

    @property
    def variables(self) -> tuple[str, ...]:
        """Those that are bound, in order of FROM."""
        return self.plan.disjuncts[0].variables

    def wait(self, variable: str) -> int:
        """How long after the event of a variable all others may come at the most, in microseconds."""
        return self.waits.get(variable, UNBOUNDED)


def pattern_parts(query: Query) -> Sequence[PatternPart] | None:
    """What partial matches of a query in no context may have bound; `None`: joins alone do not tell what they are.

    Args:
        query: a watched pattern.
    """
    own = query.in_context is None and query.limit is None and query.after_match.kind is AfterMatchKind.KEEP_ALL
    walked = () if query.pattern is None else walk_pattern(query.pattern)
    if not own or not vectorisable(query) or any(isinstance(part, Negation | Timer) for part in walked):
        return None
    orders = disjuncts(query)
    if len(orders) > 1 or set(orders[0].links.values()) - {Link.ANY}:
        return None
    found: list[PatternPart] = []
    for names in _beginnings(orders[0]):
        if len(found) == _MOST:
            return None
        found.append(PatternPart(plan_pattern(_part(query, names)), _waits(query, names)))
    return found


def _beginnings(order: PartialOrder) -> Iterator[frozenset[str]]:
    """The sets of variables, not all of them, before each of which nothing else stands."""
    known = {frozenset[str]()}
    ahead = [frozenset[str]()]
    while ahead:
        names = ahead.pop()
        for variable in (v for v in order.variables if v not in names and order.before[v] <= names):
            longer = names | {variable}
            if longer not in known and len(longer) < len(order.variables):
                known.add(longer)
                ahead.append(longer)
                yield longer


def _waits(query: Query, names: frozenset[str]) -> dict[str, int]:
    windows = [(set(w.variables), micros(w.width)) for w in query.windows if isinstance(w, CorrelationWindow)]
    if query.retention is not None:
        windows.append(({source.variable for source in query.sources}, micros(query.retention)))
    growing = [(members, width) for members, width in windows if members - names]
    widths = {bound: [width for members, width in growing if bound in members] for bound in names}
    return {bound: min(of) for bound, of in widths.items() if of}


def _part(query: Query, names: frozenset[str]) -> Query:
    """What a query says of some of its variables."""
    windows = [w for w in query.windows if isinstance(w, CorrelationWindow)]
    kept = [replace(w, variables=tuple(v for v in w.variables if v in names)) for w in windows]
    keys = [tuple(pair for pair in pairs if pair[0] in names) for pairs in query.partition_by]
    return replace(
        query,
        items=(),
        having=None,
        sources=tuple(source for source in query.sources if source.variable in names),
        joins=tuple(join for join in query.joins if variables_of(join) and variables_of(join) <= names),
        pattern=None if query.pattern is None else _pattern(query.pattern, names),
        windows=tuple(w for w in kept if len(w.variables) > 1),
        partition_by=tuple(pairs for pairs in keys if pairs),
    )


def _pattern(pattern: Pattern, names: frozenset[str]) -> Pattern | None:
    """A pattern of plain elements without those of other variables."""
    match pattern:
        case Element(variable=variable):
            return pattern if variable in names else None
        case Conjunction(parts=parts) | Links(parts=parts):
            kept = [part for inner in parts if (part := _pattern(inner, names)) is not None]
            if len(kept) < 2:
                return kept[0] if kept else None
            if isinstance(pattern, Conjunction):
                return replace(pattern, parts=tuple(kept))
            return replace(pattern, parts=tuple(kept), links=(Link.ANY,) * (len(kept) - 1))
        case _:
            raise AssertionError(f"no plain element: {pattern}")
