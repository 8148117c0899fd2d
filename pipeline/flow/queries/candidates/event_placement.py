"""Where the events of a query in contexts lie: what says so, and what their columns have of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

import pyarrow as pa

from .....cep.contexts import EventRouter, Routed, SetWindows
from .....cep.partitions import NO_START
from .....expressions import micros
from .....language.nodes import Query
from .candidate_selection import EventPlacement
from .event_batch import EventBatch

__all__ = ["ContextPlacing"]


class ContextPlacing:
    """Places the events of one query, call by call.

    Attributes:
        unplaced: how many events had an unbound key so far, and were in no context.
        pushed_down: whether events are placed before FILTER and PATH, where no PATH has to say where they lie.
        beyond: whether events matter that lie outside of contexts: FOR asks for those of some variables only.

    Args:
        query: in contexts.
    """

    def __init__(self, query: Query) -> None:
        self._router, self._query = EventRouter(query), query
        self.pushed_down = query.in_context is None or query.in_context.pushed_down
        self.beyond = query.in_context is not None and bool(query.in_context.required)
        self._required = frozenset(p.variable for p in (query.in_context.placements if query.in_context else ()))
        self._sets: Mapping[str, SetWindows] = {}
        self._found: dict[int, Routed] = {}
        self.unplaced = 0

    def of(self, variable: str) -> EventPlacement | None:
        """How the events of a variable are placed; `None`: they need not lie in any context."""
        if variable not in self._required:
            return None
        router = self._router
        names = [] if self._query.in_context is None else [r.context for r in self._query.in_context.contexts]
        return EventPlacement(
            router.columns(variable),
            router.adds(variable),
            not self.pushed_down or router.needs_paths(variable),
            ", ".join(names),
            partial(self._placed, variable),
        )

    def _placed(self, variable: str, candidates: pa.Table) -> pa.Table:
        """The candidates of a variable that lie in windows."""
        found = Routed()
        routed = self._router.route(variable, candidates, self._sets, found, {})
        self._take(found)
        return routed

    def _take(self, found: Routed, *, counted: bool = True) -> None:
        """Take what was found, also for other queries, to tell it once."""
        self._found[id(found)] = found
        self.unplaced += found.unplaced * counted

    def begin(self, sets: Mapping[str, SetWindows]) -> None:
        """Begin a call of the operator, under windows as they are."""
        self._sets, self._found = sets, {}

    def placed(self, variable: str, events: EventBatch, columns: Sequence[str], *, counted: bool = True) -> EventBatch:
        """The events of a variable that lie in windows, with some of their columns; found once for queries alike.

        Args:
            variable: whose events they are.
            events: of its stream.
            columns: of them that are kept, if they have them: those of the past have what its query looks at.
            counted: whether those with an unbound key are counted.
        """
        versions = tuple(of.history.version for of in self._sets.values())
        asked = (versions, self._router.asked(variable), tuple(columns))
        known = events.routed.get(asked)
        if known is None:  # queries ask on several threads: what others look through is never changed
            has = frozenset(events.table.column_names)
            found, table = Routed(), events.table.select([name for name in columns if name in has])
            routed = self._router.route(variable, table, self._sets, found, events.ranges)
            known = EventBatch(routed), found
            kept = {key: other for key, other in events.routed.items() if key[0] == versions}
            events.routed = {**kept, asked: known}
        batch, found = known
        self._take(found, counted=counted)
        return batch

    def pass_over(self, variable: str, events: EventBatch) -> None:
        """Count the events of a variable that have an unbound key, where no context holds and nothing else is asked."""
        if variable in self._required:
            self.unplaced += self._router.unbound(variable, events.table, events.gaps)

    def adopt(self, other: ContextPlacing) -> None:
        """Begin a call whose events another one has placed, in contexts that have those of this one among them."""
        own = () if self._query.in_context is None else self._query.in_context.contexts
        self.begin(other._sets)
        for found in other._found.values():
            self._take(Routed([piece for piece in found.windows if piece[0] in own], found.unplaced))

    def told(self, passed: datetime | None, watermark: datetime | None) -> pa.Table:
        """What the operator is to be told of windows."""
        since, upto = (NO_START if moment is None else micros(moment) for moment in (passed, watermark))
        return self._router.told(self._found.values(), self._sets, since, upto)

    def holds(self, sets: Mapping[str, SetWindows], passed: datetime | None, watermark: datetime) -> bool:
        """Whether a context may hold, or may have ended, since the call before."""
        return self._router.holds(sets, NO_START if passed is None else micros(passed), micros(watermark))
