"""The queries of an engine that are answered over the past still, beside the live stream; over restarts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..flow import BackfilledQuery, Dataflow, Registration

if TYPE_CHECKING:
    from ..catalog import Catalog

__all__ = ["BackfilledQueries"]

_LATE = "late/"


class BackfilledQueries:
    """Queries on their way from the past to the live stream; all of them are suspended in the data flow."""

    def __init__(self) -> None:
        self._queries: dict[str, BackfilledQuery] = {}
        self._past: dict[str, list[pa.Table]] = {}
        self._interrupted: dict[str, dict[str, Any]] = {}

    @property
    def labels(self) -> frozenset[str]:
        """What they are called."""
        return frozenset(self._queries)

    def add(self, query: BackfilledQuery) -> None:
        """Wait for a query from now on."""
        self._queries[query.label] = query

    def give_up(self, label: str) -> None:
        """Give a query up, if it is one of them."""
        if label in self._queries:
            self._queries.pop(label).stop()

    def close(self) -> None:
        """Give all of them up."""
        for label in self.labels:
            self.give_up(label)

    def are_read_by(self, label: str, dataflow: Dataflow) -> bool:
        """Whether a query reads the output of one of them."""
        return bool({dataflow.flows[late].query.name for late in self._queries} & dataflow.flows[label].streams)

    def take_over(self, dataflow: Dataflow, project: Catalog, *, patient: bool) -> bool:
        """Let queries that have caught up go on in the data flow with the next batch.

        Args:
            dataflow: where they are suspended.
            project: with the knowledge in force.
            patient: wait for those that have not.

        Returns:
            Whether one goes on.
        """
        before = len(self._queries)
        for label, query in list(self._queries.items()):
            rows = query.wait() if patient else []
            if not self.are_read_by(label, dataflow) and query.caught_up:
                self._past[label] = [*rows, *query.take(), *query.arrive()]
                if query.rehearsed.knowledge is not project.knowledge:
                    query.rehearsed.judge_by(project.annotators, project.knowledge)
                dataflow.adopt(label, query.rehearsed)
                del self._queries[label]
        return len(self._queries) < before

    def with_their_past(
        self, rows: Iterable[tuple[str, pa.Table]]
    ) -> Iterator[tuple[str, list[pa.Table], list[pa.Table]]]:
        """Label, rows of the past, rows of the batch: a query's past comes in its first batch, or as it is ready."""
        for label, of_batch in rows:
            yield label, self._past.pop(label, []), [of_batch]
        for label, query in self._queries.items():
            if ready := query.take():
                yield label, ready, []

    def snapshot(self, dataflow: Dataflow) -> dict[str, bytes]:
        """What another process needs to begin again with each one's past, and to report no row twice."""
        return {
            _LATE + label: json.dumps(_note(dataflow.flows[label].registration, query.handed)).encode()
            for label, query in self._queries.items()
        }

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Learn which queries an earlier process was at the past of."""
        self._interrupted = {k.removeprefix(_LATE): json.loads(v) for k, v in state.items() if k.startswith(_LATE)}

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
