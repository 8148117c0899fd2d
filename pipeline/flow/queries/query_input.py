"""What the operator of a query is given of a batch: candidates, events beside them, windows of contexts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import cast

import pyarrow as pa

from ....cep.contexts import SetWindows
from ....cep.joins import vectorisable
from ....cep.order import EVENTS, all_events, event_columns, sees_all_events
from ....cep.partitions import CONTEXT_WINDOWS, is_windowed
from ....language.nodes import Expression, Query, Source, negated_variables
from ....planner import Range
from ....semfilter import SemanticFilter
from ...profile import ClauseKind, PathProfile, VariableProfile
from .candidates import Asked, CandidateSelection, ContextPlacing, EventBatch, Selected
from .kindred_queries import CommonCall

__all__ = ["QueryInput"]


class QueryInput:
    """Selects what the operator of a query is given.

    Attributes:
        sources: what selects the candidates of each event variable.
        placing: of a query in contexts, where its events lie.
        read_of: by stream, the columns of events that are kept where these are placed in windows of contexts; what
            others need in the same ones is among them, so that it is found once.

    Args:
        query: the query, as its operator knows it.
        within: its bounds.
        semantics_of: gives what judges the PATHs of a variable.
        implied: by variable, what every event that can be part of a match fulfils.
    """

    def __init__(
        self,
        query: Query,
        within: Range,
        semantics_of: Callable[[Source], SemanticFilter],
        implied: Mapping[str, Sequence[Expression]],
    ) -> None:
        self._query, self._within = query, within
        self.placing = None if query.in_context is None else ContextPlacing(query)
        self.sources = tuple(
            CandidateSelection(
                s, within, semantics_of(s), implied.get(s.variable, ()),
                None if self.placing is None else self.placing.of(s.variable),
            )
            for s in query.sources
        )  # fmt: skip
        self._selections = [(selection.source.stream.name, selection) for selection in self.sources]
        self._asked: dict[str, tuple[Asked, ...]] = {}
        self._of_all_events = event_columns(query) if sees_all_events(query) else {}
        self._endings = _endings(query)
        needed = self.columns.items()
        self.read_of = {
            stream: sorted({"_time", "_id", *(n for n in names if n[0] not in "?#")}) for stream, names in needed
        }

    @property
    def columns(self) -> dict[str, frozenset[str]]:
        """By stream, the columns of its events that are looked at."""
        found = {stream: frozenset(names) for stream, names in self._of_all_events.items()}
        for stream, names in self._endings.values():
            found[stream] = found.get(stream, frozenset()) | frozenset(names)
        for source in self.sources:
            name = source.source.stream.name
            found[name] = found.get(name, frozenset()) | source.columns
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """Under which names `candidates` gives something: event variables, and what there is beside them."""
        beside = (EVENTS, *self._endings) if self._of_all_events else tuple(self._endings)
        return (*(source.source.variable for source in self.sources), *beside)

    @property
    def unplaced(self) -> int:
        """How many events had an unbound key so far, and were in no context."""
        return 0 if self.placing is None else self.placing.unplaced

    @property
    def placed(self) -> tuple[int, int]:
        """How many events its streams had so far, and how many of them lay in windows of its contexts."""
        counts = [
            {clause.kind: clause.left for clause in one.clauses} for one in self.sources if one.placement is not None
        ]
        read, given = (sum(of[kind] for of in counts) for kind in (ClauseKind.STREAM, ClauseKind.CONTEXT))
        return read, given

    @property
    def profile(self) -> tuple[VariableProfile, ...]:
        """What has become of the events of each variable so far."""
        return tuple(map(self._variable, self.sources))

    def _variable(self, selection: CandidateSelection) -> VariableProfile:
        source, semantics = selection.source, selection.semantics
        paths = tuple(
            PathProfile(one.plan.subquery, one.statistics, one.plan.unsatisfiable) for one in semantics.subqueries
        )
        negated = source.variable in negated_variables(self._query.pattern)
        return VariableProfile(source.variable, source.stream.name, negated, selection.clauses, paths)

    def mark(self) -> object:
        """What it has counted, for `rewind`."""
        return [source.mark() for source in self.sources], self.unplaced

    def rewind(self, mark: object) -> None:
        """Have counted what it had when `mark` was taken."""
        counts, unplaced = cast("tuple[list[object], int]", mark)
        if self.placing is not None:
            self.placing.unplaced = unplaced
        for source, counted in zip(self.sources, counts, strict=True):
            source.rewind(counted)

    def asked(self, stream: str) -> tuple[Asked, ...]:
        """What its variables ask of the events of a stream that may be found together with what others ask."""
        if stream not in self._asked:
            asked = (selection.asked for of, selection in self._selections if of == stream)
            self._asked[stream] = tuple(one for one in asked if one is not None)
        return self._asked[stream]

    def judge_by(self, semantics_of: Callable[[CandidateSelection], SemanticFilter]) -> None:
        """Judge the PATHs of its variables by other knowledge from now on."""
        self._asked = {}
        for source in self.sources:
            source.semantics = semantics_of(source)

    @property
    def only_candidates(self) -> bool:
        """Whether its operator is given candidates alone, in no contexts."""
        return self.placing is None and not self._of_all_events and not self._endings

    def pass_over(self, events: Mapping[str, EventBatch]) -> None:
        """Count events that lie in no context, and that nothing is asked of."""
        for stream, selection in self._selections:
            if stream in events:
                selection.pass_over(events[stream].table.num_rows)
                if self.placing is not None:
                    self.placing.pass_over(selection.source.variable, events[stream])

    def candidates(self, events: Mapping[str, EventBatch]) -> dict[str, Selected]:
        """What the operator of a query without contexts is given."""
        selected = (
            (source.source.variable, source.candidates(events[source.source.stream.name]))
            for source in self.sources
            if source.source.stream.name in events
        )
        candidates: dict[str, Selected] = {variable: found for variable, found in selected if found is not None}
        return candidates | self._other_events(events)

    def placed_candidates(
        self, events: Mapping[str, EventBatch], windows: Mapping[str, SetWindows], since: datetime | None,
        watermark: datetime | None,
    ) -> dict[str, Selected]:  # fmt: skip
        """What the operator of a query in contexts is given.

        Args:
            events: by stream, those of a call.
            windows: of the sets of its contexts.
            since: the watermark of the call before.
            watermark: that of this call.
        """
        placing = cast("ContextPlacing", self.placing)
        placing.begin(windows)
        candidates: dict[str, Selected] = {}
        of_stream: dict[str, EventBatch] = {}
        for selection in self.sources:
            variable, stream = selection.source.variable, selection.source.stream.name
            if stream not in events:
                continue
            placement, placed = selection.placement, None
            if placement is not None and not placement.after_paths:
                placed = placing.placed(variable, events[stream], self.read_of[stream])
                of_stream.setdefault(stream, placed)
            elif placement is not None and not placing.pushed_down and self._looks_beside(stream):
                beside = placing.placed(variable, events[stream], self.read_of[stream], counted=False)
                of_stream.setdefault(stream, beside)
            found = selection.candidates(events[stream], placed)
            if found is not None:
                candidates[variable] = found
        candidates |= self._other_events({**events, **of_stream} if is_windowed(self._query) else events)
        candidates[CONTEXT_WINDOWS] = placing.told(since, watermark)
        return candidates

    def common_candidates(
        self, common: CommonCall, windows: dict[str, SetWindows], since: datetime | None, watermark: datetime | None
    ) -> dict[str, Selected]:
        """What it is given together with others that are equal but for their contexts."""
        placing = cast("ContextPlacing", self.placing)
        candidates, placed = common.candidates(self.sources, windows, self.read_of)
        placing.adopt(placed)
        candidates[CONTEXT_WINDOWS] = placing.told(since, watermark)
        return candidates

    def _looks_beside(self, stream: str) -> bool:
        """Whether the operator is given events of a stream beside candidates."""
        return stream in self._of_all_events or any(stream == of for of, _ in self._endings.values())

    def _other_events(self, events: Mapping[str, EventBatch]) -> dict[str, pa.Table]:
        """What the operator is given of events beside candidates."""
        found: dict[str, pa.Table] = {}
        if self._of_all_events:
            inside = {s: self._within.select(events[s].table) for s in self._of_all_events if s in events}
            found[EVENTS] = all_events(self._query, inside)
        for name, (stream, columns) in self._endings.items():
            if stream in events:
                found[name] = self._within.select(events[stream].table).select(columns)
        return found


def _endings(query: Query) -> dict[str, tuple[str, list[str]]]:
    """The events that end repetitions; see `cep.nfa.stop_events`."""
    if vectorisable(query):
        return {}
    from ....cep.nfa import stop_events  # noqa: PLC0415 - most queries repeat nothing

    return stop_events(query)
