"""Contexts that depend on themselves: deriving queries in contexts that they derive, answered in rounds.

For a stretch of time it is guessed which changes are made; the queries are answered as if these were made, and their
rows say which changes are made indeed. Contexts at a moment depend on events up to it and act on events after it, so
what is found is right up to the first change that was guessed wrongly, and each round is right further than the one
before. Where many rounds would be needed the stretch is halved.

What queries do that look at one event at a time is foreseen (`change_forecast`); one round has to find that it is so,
and the other queries decide how many rounds there are.

Where the end of a context window is reported to who changes contexts of its set, a change that was guessed wrongly may
be what it is guessed from. There the changes of one moment are made after the other, beginning with none.
Source: LANGUAGE-2 §6, well-founded; fixed points of a round as in semi-naive evaluation (Bancilhon 1986).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....expressions import Ints, frame_of, moment_of, timestamps
from ..queries import ContextRuntime, EventBatch, EventSplits, HeldEvents, QueryRuntime
from ..rules import PLACE, united

__all__ = ["Derivation"]

_ROUNDS = 8
_FEW_ROUNDS = 4

Answer = Callable[[QueryRuntime, Mapping[str, EventBatch], datetime], pa.Table]
"""Gives the rows of one query for some events, up to a watermark."""

Emitted = Mapping[str, pa.Table]
"""By stream, events that rules emit."""

Foreseen = Callable[[Mapping[str, Mapping[str, EventBatch]], datetime], Mapping[str, Callable[[], None]]]
"""Gives, by label, what tells the sets which changes queries may make for some events, up to a watermark."""


class Derivation:
    """Answers the queries of one component, and changes the contexts that they derive.

    Args:
        levels: its queries by depth, deriving ones and those whose output they read.
        contexts: its sets.
        answer: answers one query.
        offer: offers the rows of a query, by its label, as changes.
        at_once: how many moments a stretch has at first.
        foreseen: foresees the changes of those queries of which that can be done; `None`: of none.
        emitted: gives the events that a rule emits for rows, by stream.

        by_ends: rows that report whole context windows decide about contexts of the same sets.

    Attributes:
        at_once: how many moments a stretch should have next time.
        rounds: how many rounds were needed so far.
    """

    def __init__(
        self,
        levels: Sequence[Sequence[QueryRuntime]],
        contexts: Sequence[ContextRuntime],
        answer: Answer,
        offer: Callable[[str, pa.Table], None],
        at_once: int,
        *,
        foreseen: Foreseen | None = None,
        emitted: Callable[[QueryRuntime, pa.Table], Mapping[str, pa.Table]],
        by_ends: bool = False,
    ) -> None:
        self._levels, self._contexts, self._answer, self._offer = levels, contexts, answer, offer
        self._emit, self._by_ends = emitted, by_ends
        self._foreseen = foreseen or (lambda _events, _border: {})
        self._flows = [flow for level in levels for flow in level]
        self.at_once, self.rounds = at_once, 0

    def settle(self, waiting: Mapping[str, HeldEvents], upto: datetime) -> dict[str, list[pa.Table]]:
        """The rows of each query that become certain below a moment, by label.

        Args:
            waiting: by label, the events below that moment that it was not given yet.
            upto: what all their streams have passed.
        """
        rows: dict[str, list[pa.Table]] = {flow.registration.label: [] for flow in self._flows}
        moments = _moments(waiting)
        first = 0
        while True:
            count = max(1, min(self.at_once, len(moments) - first))
            last = first + count >= len(moments)
            border = upto if last else moment_of(int(moments[first + count]))
            splits = EventSplits()
            given = {label: held.ahead(border, splits) for label, held in waiting.items()}
            before = self.rounds
            found = self._found({label: events for label, (events, _) in given.items()}, border, whole=count == 1)
            if found is None:
                self.at_once = max(1, count // 2)
                continue
            for label, (_, others) in given.items():
                waiting[label].keep(others)
            for label, table in found.items():
                rows[label].append(table)
            if self.rounds - before <= _FEW_ROUNDS:
                self.at_once = min(2 * self.at_once, 2**30)
            if last:
                return rows
            first += count

    def _found(
        self, events: Mapping[str, Mapping[str, EventBatch]], border: datetime, *, whole: bool
    ) -> dict[str, pa.Table] | None:
        return (self._in_turn if self._by_ends else self._stretch)(events, border, whole=whole)

    def _in_turn(
        self, events: Mapping[str, Mapping[str, EventBatch]], border: datetime, *, whole: bool
    ) -> dict[str, pa.Table] | None:
        """As `_stretch`; what rows do is done up to the first moment at which a round has found others."""
        flows = [(flow, flow.mark()) for flow in self._flows]
        sets = [(contexts, contexts.mark()) for contexts in self._contexts]
        done = {flow.registration.label: flow.no_rows for flow in self._flows}
        rounds = 0
        while True:
            self._made(done, sets, border)
            rows = self._round(events, border, self._emitted(done))
            rounds, self.rounds = rounds + 1, self.rounds + 1
            acting = [flow.registration.label for flow in self._flows if flow.derives or flow.firing is not None]
            moment = min((m for label in acting for m in _differing(done[label], rows[label])), default=None)
            if moment is None:
                return rows
            for flow, mark in flows:
                flow.rewind(mark)
            if rounds >= _ROUNDS and not whole:
                for contexts, mark in sets:
                    contexts.rewind(mark)
                return None
            done = {label: table.filter(pc.less_equal(table["_time"], moment)) for label, table in rows.items()}

    def _stretch(
        self, events: Mapping[str, Mapping[str, EventBatch]], border: datetime, *, whole: bool
    ) -> dict[str, pa.Table] | None:
        """The rows of a stretch of time; `None`: they are not found in a few rounds, and nothing has happened."""
        flows = [(flow, flow.mark()) for flow in self._flows]
        emitted: Emitted = {}
        sets = [(contexts, contexts.mark()) for contexts in self._contexts]
        foreseen = self._foreseen(events, border)
        guess = self._made({}, sets, border, foreseen)
        rounds = 0
        while True:
            rows = self._round(events, border, emitted)
            made = self._made(rows, sets, border)
            rounds, self.rounds = rounds + 1, self.rounds + 1
            before_emitted, emitted = emitted, self._emitted(rows)
            if made == guess and _alike(emitted, before_emitted):
                return rows
            for flow, mark in flows:
                flow.rewind(mark)
            if rounds >= _ROUNDS and not whole:
                for contexts, mark in sets:
                    contexts.rewind(mark)
                return None
            before, guess = guess, made
            if foreseen:
                others = {label: table for label, table in rows.items() if label not in foreseen}
                guess = self._made(others, sets, border, foreseen) if rounds < _ROUNDS else before
                if guess == before:  # what was foreseen is not what is
                    foreseen, guess = {}, self._made(rows, sets, border)

    def _made(
        self,
        rows: Mapping[str, pa.Table],
        sets: Sequence[tuple[ContextRuntime, object]],
        border: datetime,
        foreseen: Mapping[str, Callable[[], None]] = MappingProxyType({}),
    ) -> list[object]:
        """Make the changes of rows, and those foreseen, instead of those that were made; what has come of them."""
        for contexts, mark in sets:
            contexts.rewind(mark)
        for label, table in rows.items():
            self._offer(label, table)
        for tell in foreseen.values():
            tell()
        for contexts, _ in sets:
            contexts.advance(border)
        return [contexts.effect(mark) for contexts, mark in sets]

    def _emitted(self, rows: Mapping[str, pa.Table]) -> Emitted:
        """The events that rules emit for rows, by their stream."""
        found: dict[str, list[pa.Table]] = {}
        for flow in self._flows:
            for stream, events in self._emit(flow, rows[flow.registration.label]).items():
                found.setdefault(stream, []).append(events)
        return {stream: united(tables) for stream, tables in found.items()}

    def _round(
        self, events: Mapping[str, Mapping[str, EventBatch]], border: datetime, emitted: Emitted
    ) -> dict[str, pa.Table]:
        """The rows of each query under the windows of now, with the events that rules have emitted the round before."""
        rows: dict[str, pa.Table] = {}
        inside: dict[str, EventBatch] = {}
        for level in self._levels:
            for flow in level:
                given = dict(events[flow.registration.label])
                given |= {stream: inside[stream] for stream in flow.streams if stream in inside}
                for stream in flow.streams & emitted.keys():
                    before = [given[stream].table] if stream in given else []
                    given[stream] = EventBatch(united([*before, emitted[stream]]))
                found = self._answer(flow, given, border)
                rows[flow.registration.label] = found
                if flow.query.name is not None:
                    inside[flow.query.name] = EventBatch(flow.rows.as_events(found))
        return rows


def _alike(one: Emitted, other: Emitted) -> bool:
    """Whether the same events are emitted."""
    return one.keys() == other.keys() and all(one[stream].equals(other[stream]) for stream in one)


def _differing(before: pa.Table, now: pa.Table) -> list[datetime]:
    """The moment of the first row that is another one than before, or is there in one of them only; in a list."""
    kept = [name for name in now.column_names if name != PLACE]  # it counts on, whatever is asked again
    pairs = zip_longest(before.select(kept).to_pylist(), now.select(kept).to_pylist())
    one, other = next((pair for pair in pairs if pair[0] != pair[1]), (None, None))
    return [row["_time"] for row in (one, other) if row is not None]


def _moments(waiting: Mapping[str, HeldEvents]) -> Ints:
    """The time stamps of events, each once, ascending."""
    tables = [batch.table for held in waiting.values() for batch in held.batches]
    seen: dict[int, Ints] = {id(table): timestamps(frame_of(table, ["_time"])["_time"]) for table in tables}
    return np.unique(np.concatenate(list(seen.values()))) if seen else np.empty(0, dtype=np.int64)
