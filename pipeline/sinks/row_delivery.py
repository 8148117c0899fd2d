"""Rows on their way to the sinks: each says where it comes from, and what was missed comes first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from .row_source import marked, unmarked
from .sink import Sink

__all__ = ["RowDelivery"]

_SINK = "sink/"


class RowDelivery:
    """Gives the rows of batches to the sinks.

    Args:
        sinks: where the rows of all queries go.
    """

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = tuple(sinks)
        self._missed: dict[str, list[pa.Table]] = {}

    @property
    def waiting(self) -> bool:
        """Whether there are rows that no sink got when they became certain."""
        return bool(self._missed)

    def miss(self, label: str, rows: pa.Table) -> None:
        """Keep rows of a query that no sink got when they became certain; the next batch gives them out."""
        self._missed.setdefault(label, []).append(rows)

    def withdraw(self, label: str) -> None:
        """Report nothing more of a query."""
        self._missed.pop(label, None)

    def forget(self) -> None:
        """Forget what was missed: a replay finds it again."""
        self._missed.clear()

    def report(
        self,
        batch: int,
        rows: Iterable[tuple[str, list[pa.Table], list[pa.Table]]],
        recovered: Mapping[str, Sequence[pa.Table]],
    ) -> dict[str, pa.Table]:
        """Give each query's rows to the sinks as they come.

        Args:
            batch: its number.
            rows: label, rows of the past, rows of the batch.
            recovered: by label, rows that were missed during an outage.

        Returns:
            All rows by label.
        """
        matches = {}
        for label, past, live in rows:
            missed = [*self._missed.pop(label, ()), *recovered.get(label, ())]
            tables = [
                *(marked(table, "archive") for table in past),
                *(marked(table, "archive", recovered=True) for table in missed),
                *(marked(table, "live") for table in live),
            ]
            found = pa.concat_tables(tables)
            matches[label] = unmarked(found)
            for sink in self._sinks:
                sink.write(batch, label, found)
        for sink in self._sinks:
            sink.flush()
        return matches

    def snapshot(self) -> dict[str, bytes]:
        """Where the sinks are."""
        return {f"{_SINK}{i}": json.dumps(sink.snapshot()).encode() for i, sink in enumerate(self._sinks)}

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Let the sinks go back to where they were."""
        for i, sink in enumerate(self._sinks):
            sink.restore(json.loads(state.get(f"{_SINK}{i}", b"{}")))
