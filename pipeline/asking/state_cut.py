"""The states of queries at one moment, as tables that a query is asked of (LANGUAGE-2 §9)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pyarrow as pa

from ...annotator import event_prefix
from ...cep.query_state import HeldState, finds_more_when_watched, partial_table, state_table
from ...errors import PipelineError
from ...language.nodes import Query, StateReference, StreamType, quantified_variables
from ..flow import Batch, Dataflow, Registration
from ..flow.queries import EventBatch

__all__ = ["StateCut", "state_cut_at", "watched_registrations"]

_WATCHED, _ROWS, _COVERED = "state of ", "rows of ", "state of a covered query"
_MICROSECOND = timedelta(microseconds=1)


def watched_registrations(registrations: Collection[Registration], asked: Query) -> list[Registration]:
    """What a data flow is to answer besides, so that its states can be asked for.

    Args:
        registrations: those of the queries that it answers anyway.
        asked: the query that is asked.

    Raises:
        PipelineError: it asks for the state of a query that is not registered.
    """
    named = {registration.query.name: registration for registration in registrations}
    found = []
    for name in dict.fromkeys(reference.query for reference in asked.asked if not reference.contexts):
        if name not in named:
            raise _not_registered(name, registrations)
        held = replace(named[name].query, name=None, change=None)  # what reads its rows reads those of the query itself
        found.append(replace(named[name], query=held, label=_WATCHED + name, watched=True))
        if finds_more_when_watched(held):  # how many rows it has is for the query itself to say
            found.append(replace(named[name], query=held, label=_ROWS + name))
            found[-2] = replace(found[-2], query=replace(held, limit=None))
    return found


def _not_registered(name: str, registrations: Iterable[Registration]) -> PipelineError:
    queries = [registration.query for registration in registrations]
    if any(query.rule is not None and query.rule.name == name for query in queries):
        return PipelineError(f"'{name}' is a rule, which has no state", hint="ask about the query that it is ON")
    known = ", ".join(sorted(query.name for query in queries if query.name is not None)) or "none has a name"
    return PipelineError(f"no query '{name}' is registered", hint=f"registered are: {known}")


@dataclass(frozen=True, slots=True)
class StateCut:
    """What a data flow holds at a moment, one for all states.

    Attributes:
        dataflow: with the queries of `watched_registrations`; all of its streams are known up to the moment.
        moment: the last microsecond that is known.
    """

    dataflow: Dataflow
    moment: datetime

    def tables(self, asked: Query) -> dict[str, pa.Table]:
        """By the stream that each source of an asked query is, its events."""
        found: dict[str, pa.Table] = {}
        for source, reference in zip(asked.sources, asked.asked, strict=True):
            if source.stream.name not in found:
                found[source.stream.name] = self._table(reference, source.stream)
        return found

    def _table(self, reference: StateReference, stream: StreamType) -> pa.Table:
        if reference.contexts:
            return self.dataflow.queries.contexts[reference.query].open_windows(self.moment, stream)
        label = _WATCHED + reference.query
        self.dataflow.queries.check(label)
        runtime = self.dataflow.flows[label]
        rows = self.dataflow.flows.get(_ROWS + reference.query)
        state = HeldState() if rows is not None and rows.ends_by(self.moment) else runtime.state(self.moment)
        if reference.body is not None:
            state = self._state_of(reference.body, runtime.registration, state)
        if not reference.partial:
            return state_table(state, None if reference.variable is None else {reference.variable}, stream)
        quantified = quantified_variables(runtime.registration.query.pattern)
        runs = frozenset(name for name, several in quantified.items() if several)
        return partial_table(state, event_prefix(stream.name), stream, runs)

    def _state_of(self, body: Query, registration: Registration, state: HeldState) -> HeldState:
        """The state of a query that another covers, in whose state are all its events."""
        own = Registration(body, _COVERED, registration.now, watched=True)
        runtime = self.dataflow.compile(own)
        events = {}
        for stream in {source.stream.name: source.stream for source in body.sources}.values():
            bound = {s.variable for s in registration.query.sources if s.stream.name == stream.name}
            events[stream.name] = EventBatch(state_table(state, bound, stream))
        runtime.process(events, self.moment + _MICROSECOND)
        return runtime.state(self.moment)


def state_cut_at(dataflow: Dataflow, streams: Iterable[str], moment: datetime) -> StateCut:
    """What is held at a moment, as if the watermark of every stream stood just above it.

    Args:
        dataflow: all that it will be given up to the moment has come; what it answers later is not to be relied on.
        streams: the sources.
        moment: the moment.
    """
    for flow in dataflow.flows.values():
        flow.holds_back = False  # what OUTPUT keeps has not come, and nobody waits for it
    _ = dataflow.process(Batch(advances=dict.fromkeys(streams, moment + _MICROSECOND))).matches
    return StateCut(dataflow, moment)
