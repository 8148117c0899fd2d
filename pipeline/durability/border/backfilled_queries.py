"""Backfilled queries of an engine: those on their way from the past to the live stream, over restarts.

When one has nothing left of its past, the data flow takes it over at the next border.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import pyarrow as pa

from ....errors import KaicepError
from ...flow import Dataflow, Judgement, ParkedQuery, Registration
from .backfilled_query import BackfilledQuery

__all__ = ["BackfilledQueries"]

_BACKFILLED = "late/"
"""What the states of earlier versions call them."""


class BackfilledQueries:
    """Queries on their way from the past to the live stream; all of them are suspended in the data flow.

    Attributes:
        taken_over: by label, those that go on in the data flow since the last batch border.
    """

    def __init__(self) -> None:
        self._queries: dict[str, BackfilledQuery] = {}
        self._interrupted: dict[str, dict[str, Any]] = {}
        self.taken_over: dict[str, BackfilledQuery] = {}
        self._called: list[pa.Table] = []

    @property
    def labels(self) -> frozenset[str]:
        """What they are called."""
        return frozenset(self._queries)

    @property
    def done(self) -> dict[str, float]:
        """By label, how much of its past lies behind each, from 0 to 1; asked from any thread."""
        return {label: query.done for label, query in list(self._queries.items())}

    def add(self, query: BackfilledQuery) -> None:
        """Wait for a query from now on."""
        self._queries[query.label] = query

    @property
    def failed(self) -> tuple[BackfilledQuery, ...]:
        """Those whose past cannot be answered."""
        return tuple(query for query in self._queries.values() if query.failure is not None)

    def fail(self, label: str, failure: KaicepError) -> None:
        """Let one be among those whose past cannot be answered."""
        self._queries[label].fail(failure)

    def give_up(self, label: str) -> None:
        """Give a query up, if it is one of them."""
        if label in self._queries:
            self._queries.pop(label).stop()

    @property
    def returning(self) -> tuple[str, ...]:
        """Those that were demoted, and come back."""
        return tuple(label for label, query in self._queries.items() if query.parked and query.parked.demoted)

    def pause(self, labels: Iterable[str], *, still: bool) -> None:
        """Let some of them take no more batches for now, or go on."""
        for label in labels:
            self._queries[label].pause(still=still)

    def join_at(self, dataflow: Dataflow, label: str, batch: int) -> None:
        """Let a deriving query that is registered at a batch decide about all of them from that batch on."""
        for other, query in self._queries.items():
            if other != label and dataflow.flows[label].derives:
                query.dataflow.join_at(label, dataflow, batch)

    def leave_at(self, label: str, batch: int) -> None:
        """Let a query that was withdrawn at a batch decide about none of them from that batch on."""
        for query in self._queries.values():
            query.dataflow.leave_at(label, batch)

    def close(self) -> None:
        """Give all of them up."""
        for label in self.labels:
            self.give_up(label)

    def are_read_by(self, label: str, dataflow: Dataflow) -> bool:
        """Whether a query reads the output of one of them, or is in contexts that they alone know of by now."""
        own, others = dataflow.flows[label], [dataflow.flows[other] for other in self._queries if other != label]
        sets = {each.name for each in own.query.context_sets}
        unknown = {name for name in sets if not dataflow.queries.is_followed(name, besides=label)}
        return any(
            own.streams.intersection(other.query.streams)
            or other.derives & sets
            or any(each.name in unknown for each in other.query.context_sets)
            for other in others
        )

    def take_over(
        self, dataflow: Dataflow, judgement: Judgement, hold: Callable[[str, pa.Table], None], *, patient: bool
    ) -> bool:
        """Let queries that have caught up go on in the data flow with the next batch.

        Args:
            dataflow: where they are suspended.
            judgement: by the knowledge in force.
            hold: takes label and rows of the past that nobody has got, in their order.
            patient: wait for those that have not.

        Returns:
            Whether one goes on.
        """
        self.taken_over = {}
        for label, query in self._queries.items() if patient else ():
            self._give_out(label, query, query.wait(), hold)
        # Asked once: others end their past meanwhile, and queries that wait for each other go on together.
        ready = {label for label, query in self._queries.items() if query.caught_up and query.arrived()}
        behind, lineage = self.labels - ready, dataflow.queries.lineage
        for label in [label for label in self._queries if behind.isdisjoint(lineage.together([label]))]:
            query = self._queries[label]
            self._give_out(label, query, query.take(), hold)
            if query.dataflow.knowledge is not judgement.knowledge:
                query.dataflow.judge_by(judgement)
            dataflow.adopt(label, query.dataflow)
            self.taken_over[label] = self._queries.pop(label)
        return bool(self.taken_over)

    def hand_over(self, hold: Callable[[str, pa.Table], None]) -> None:
        """Give out the rows that are ready of those that go on with their past."""
        for label, query in self._queries.items():
            self._give_out(label, query, query.take(), hold)

    def _give_out(
        self, label: str, query: BackfilledQuery, rows: Iterable[pa.Table], hold: Callable[[str, pa.Table], None]
    ) -> None:
        for table in rows:
            hold(label, table)
        self._called += query.take_calls()

    def take_calls(self) -> list[pa.Table]:
        """What rules among them have called in the batch; see `BackfilledQuery.take_calls`."""
        called, self._called = self._called, []
        return called

    def snapshot(self, dataflow: Dataflow) -> dict[str, bytes]:
        """What another process needs to begin again with each one's past, and to report no row twice."""
        return {
            _BACKFILLED + label: json.dumps(_note(dataflow.flows[label].registration, query.handed)).encode()
            for label, query in self._queries.items()
            if query.parked is None
        }

    @property
    def resuming(self) -> tuple[ParkedQuery, ...]:
        """What another process needs of those that were parked, likewise."""
        queries = self._queries.values()
        return tuple(replace(q.parked, handed=q.handed, resuming=True) for q in queries if q.parked is not None)

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Learn which queries an earlier process was at the past of."""
        notes = {k.removeprefix(_BACKFILLED): v for k, v in state.items() if k.startswith(_BACKFILLED)}
        self._interrupted = {label: json.loads(note) for label, note in notes.items()}

    @property
    def begun_before(self) -> frozenset[str]:
        """Those that an earlier process was at the past of, and that are not registered again yet."""
        return frozenset(self._interrupted)

    def interrupted(self, registration: Registration) -> tuple[datetime, int] | None:
        """When the query was registered and how many rows were handed over, if an earlier process was at its past."""
        known = self._interrupted.pop(registration.label, None)
        if known is None or known["query"] != registration.query.normal:
            return None
        return datetime.fromisoformat(known["now"]), known["handed"]


def _note(registration: Registration, handed: int) -> dict[str, Any]:
    now = registration.now
    return {"query": registration.query.normal, "now": None if now is None else now.isoformat(), "handed": handed}
