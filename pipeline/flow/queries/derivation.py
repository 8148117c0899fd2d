"""Contexts that depend on themselves: deriving queries in contexts that they derive, answered in rounds.

For a stretch of time it is guessed which changes are made; the queries are answered as if these were made, and their
rows say which changes are made indeed. Contexts at a moment depend on events up to it and act on events after it, so
what is found is right up to the first change that was guessed wrongly, and each round is right further than the one
before. Where many rounds would be needed the stretch is halved.
Source: LANGUAGE-2 §6, well-founded; fixed points of a round as in semi-naive evaluation (Bancilhon 1986).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import numpy as np
import pyarrow as pa

from ....expressions import Ints, frame_of, moment_of, timestamps
from .candidate_selection import EventBatch
from .context_runtime import ContextRuntime
from .held_events import EventSplits, HeldEvents
from .query_runtime import QueryRuntime

__all__ = ["Derivation"]

_ROUNDS = 8
_FEW_ROUNDS = 4

Answer = Callable[[QueryRuntime, Mapping[str, EventBatch], datetime], pa.Table]
"""Gives the rows of one query for some events, up to a watermark."""


class Derivation:
    """Answers the queries of one component, and changes the contexts that they derive.

    Args:
        levels: its queries by depth, deriving ones and those whose output they read.
        contexts: its sets.
        answer: answers one query.
        offer: offers the rows of a query, by its label, as changes.
        at_once: how many moments a stretch has at first.

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
    ) -> None:
        self._levels, self._contexts, self._answer, self._offer = levels, contexts, answer, offer
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
            found = self._stretch({label: events for label, (events, _) in given.items()}, border, whole=count == 1)
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

    def _stretch(
        self, events: Mapping[str, Mapping[str, EventBatch]], border: datetime, *, whole: bool
    ) -> dict[str, pa.Table] | None:
        """The rows of a stretch of time; `None`: they are not found in a few rounds, and nothing has happened."""
        flows = [(flow, flow.mark()) for flow in self._flows]
        sets = [(contexts, contexts.mark()) for contexts in self._contexts]
        guess = self._made({}, sets, border)
        rounds = 0
        while True:
            rows = self._round(events, border)
            made = self._made(rows, sets, border)
            rounds, self.rounds = rounds + 1, self.rounds + 1
            if made == guess:
                return rows
            for flow, mark in flows:
                flow.rewind(mark)
            if rounds >= _ROUNDS and not whole:
                for contexts, mark in sets:
                    contexts.rewind(mark)
                return None
            guess = made

    def _made(
        self, rows: Mapping[str, pa.Table], sets: Sequence[tuple[ContextRuntime, object]], border: datetime
    ) -> list[object]:
        """Make the changes of rows instead of those that were made; what has come of them."""
        for contexts, mark in sets:
            contexts.rewind(mark)
        for label, table in rows.items():
            self._offer(label, table)
        for contexts, _ in sets:
            contexts.advance(border)
        return [contexts.effect(mark) for contexts, mark in sets]

    def _round(self, events: Mapping[str, Mapping[str, EventBatch]], border: datetime) -> dict[str, pa.Table]:
        """The rows of each query under the windows of now."""
        rows: dict[str, pa.Table] = {}
        inside: dict[str, EventBatch] = {}
        for level in self._levels:
            for flow in level:
                own = {stream: inside[stream] for stream in flow.streams if stream in inside}
                found = self._answer(flow, {**events[flow.registration.label], **own}, border)
                rows[flow.registration.label] = found
                if flow.query.name is not None:
                    inside[flow.query.name] = EventBatch(flow.as_events(found))
        return rows


def _moments(waiting: Mapping[str, HeldEvents]) -> Ints:
    """The time stamps of events, each once, ascending."""
    tables = [batch.table for held in waiting.values() for batch in held.batches]
    seen: dict[int, Ints] = {id(table): timestamps(frame_of(table, ["_time"])["_time"]) for table in tables}
    return np.unique(np.concatenate(list(seen.values()))) if seen else np.empty(0, dtype=np.int64)
