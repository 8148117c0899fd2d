"""What a data flow remembers, as it was at a moment: it changes no more, and becomes bytes whenever it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import polars as pl

from ...cep import TakenState
from ...cep.order import EventTable
from .queries import QueryRuntime, Registration, state_head

__all__ = ["EVENTS", "QUERY", "TakenFlow", "TakenQuery"]

QUERY = "query/"
EVENTS = "events/"
_FEW = 1_000_000
"""Fewer bytes of events are written sooner for each query by itself than it is found which of them are the same."""


class TakenQuery(NamedTuple):
    """The state of a query at a moment.

    Attributes:
        flow: that answers it.
        registration: as it was then.
        state: the state.
    """

    flow: QueryRuntime
    registration: Registration
    state: TakenState

    def written(self, events: Mapping[str, EventTable]) -> bytes:
        """It as bytes; `events`: by stream, those that are kept beside it."""
        return self.state.written(events, state_head(self.registration.query, self.registration.now))


def _do(_: QueryRuntime, do: Callable[[], bytes]) -> bytes | None:
    return do()


@dataclass(frozen=True, slots=True)
class TakenFlow:
    """The state of streams and queries at a moment.

    Attributes:
        streams: by name, gives the state of a stream as bytes, from any thread.
        queries: of those that have not failed.
        contexts: gives by name the sets of contexts, and what queries in them hold, likewise.
    """

    streams: Mapping[str, Callable[[], bytes]]
    queries: Sequence[TakenQuery]
    contexts: Callable[[], Mapping[str, bytes]]

    def written(self, run: Callable[[QueryRuntime, Callable[[], bytes]], bytes | None] = _do) -> dict[str, bytes]:
        """It as bytes, by name, for `Dataflow.restore`.

        Args:
            run: lets a query do what may fail; `None` is what one gives that has failed, and nothing is kept of it.
        """
        events = _events_of([taken.state for taken in self.queries])
        states = {
            QUERY + taken.registration.label: run(taken.flow, partial(taken.written, events)) for taken in self.queries
        }
        known = {name: state for name, state in states.items() if state is not None}
        kept = {EVENTS + stream: table.snapshot() for stream, table in events.items()}
        return {name: state() for name, state in self.streams.items()} | known | kept | dict(self.contexts())


def _events_of(states: Sequence[TakenState]) -> dict[str, EventTable]:
    """By stream, the events that several queries hold, each once."""
    held: dict[str, list[pl.DataFrame]] = {}
    for state in states if len(states) > 1 else ():
        for stream, frame in state.candidates:
            held.setdefault(stream, []).append(frame)
    size = sum(frame.estimated_size() for frames in held.values() for frame in frames)
    return {} if size < _FEW else {stream: EventTable.of(frames) for stream, frames in held.items()}
