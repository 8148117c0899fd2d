"""Rows on their way to the sinks: each says where it comes from, and what was missed comes first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain

import pyarrow as pa

from ...cep import joined_rows
from ...errors import KaicepError, PipelineError
from .row_source import RowSource, marked, unmarked
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
        self._held: dict[str, list[pa.Table]] = {}

    @property
    def waiting(self) -> bool:
        """Whether there are rows that no sink has got yet."""
        return bool(self._held)

    def hold(self, label: str, rows: pa.Table, *, live: bool = False, recovered: bool = False) -> None:
        """Keep rows of a query until the batch at work is delivered: they come before those of the batch itself.

        Args:
            label: the query's.
            rows: in order; after those that are held already.
            live: the live stream made them certain, and not the archive.
            recovered: no sink got them when they became certain.
        """
        source: RowSource = "live" if live else "archive"
        self._held.setdefault(label, []).append(marked(rows, source, recovered=recovered))

    def withdraw(self, label: str) -> None:
        """Deliver nothing more of a query."""
        self._held.pop(label, None)

    def forget(self) -> None:
        """Forget what is held: a replay finds it again."""
        self._held.clear()

    def deliver(self, batch: int, rows: Iterable[tuple[str, pa.Table]]) -> dict[str, pa.Table]:
        """Give each query's rows to the sinks as they come; durable when this returns, as far as a sink is.

        Args:
            batch: its number.
            rows: label and rows of each query, live.

        Returns:
            All rows by label, those that were held among them.
        """
        matches = {}
        answered = ((label, [*self._held.pop(label, ()), marked(live, "live")]) for label, live in rows)
        for label, tables in chain(answered, self._held.items()):
            found = joined_rows(tables)
            matches[label] = unmarked(found)
            for sink in self._sinks:
                with _named(sink, f"write of '{label}'"):
                    sink.write(batch, label, found)
        self._held.clear()
        for sink in self._sinks:
            with _named(sink, "flush"):
                sink.flush()
        return matches

    def snapshot(self) -> dict[str, bytes]:
        """Where the sinks are."""
        found = {}
        for i, sink in enumerate(self._sinks):
            with _named(sink, "snapshot"):
                found[f"{_SINK}{i}"] = json.dumps(sink.snapshot()).encode()
        return found

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Let the sinks go back to where they were."""
        for i, sink in enumerate(self._sinks):
            with _named(sink, "restore"):
                sink.restore(json.loads(state.get(f"{_SINK}{i}", b"{}")))


@contextmanager
def _named(sink: Sink, step: str) -> Iterator[None]:
    """Say which sink, and which of its methods, made a batch fail."""
    try:
        yield
    except KaicepError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise PipelineError(
            f"a batch failed in the sink {type(sink).__name__}, in {step}: {reason}",
            hint="the batch is delivered again at the next start",
        ) from error
