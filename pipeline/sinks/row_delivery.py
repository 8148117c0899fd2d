"""Rows on their way to the sinks: each says where it comes from, and what was missed comes first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from tempfile import NamedTemporaryFile

import pyarrow as pa

from ...cep import joined_rows
from ...errors import KaicepError, PipelineError
from ...storage import StoragePath
from ..flow import QueryRows, RowTarget, WrittenRows
from .file_sink import FileSink
from .row_source import RowSource, marked, unmarked
from .sink import RowWriter, Sink, writer_of

__all__ = ["DeliveredRows", "RowDelivery"]

_SINK = "sink/"
_IN_MEMORY = 262_144
"""So many rows of a query and batch are kept in memory until the batch is durable; further ones on disk."""


@dataclass(frozen=True, slots=True)
class DeliveredRows:
    """What was given to the sinks for a batch.

    Attributes:
        counts: by label, how many rows a query had.
        kept: by label, its rows, as queries give them; none, where they were not asked for.
        logged: by label, what tasks have written for the log of matches.
    """

    counts: dict[str, int]
    kept: dict[str, pa.Table]
    logged: dict[str, StoragePath] = field(default_factory=dict)

    def add(self, label: str, rows: pa.Table, *, keeps: bool) -> None:
        """Note further rows of a query."""
        self.counts[label] = self.counts.get(label, 0) + rows.num_rows
        before = [self.kept[label]] if label in self.kept else []
        if not keeps:
            rows = rows.schema.empty_table()
        elif self.counts[label] > _IN_MEMORY:
            rows = _on_disk(rows)
        self.kept[label] = joined_rows([*before, rows])

    def take(self, label: str, rows: pa.Table, written: WrittenRows) -> None:
        """Note what tasks have written of a query, of which no rows are here."""
        self.counts[label] = self.counts.get(label, 0) + written.num_rows
        self.kept.setdefault(label, rows)
        if written.logged is not None:
            self.logged[label] = written.logged


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

    def deliver(
        self, batch: int, rows: Iterable[QueryRows], keeps: Callable[[str], bool] = lambda _: True
    ) -> DeliveredRows:
        """Give each query's rows to the sinks as they come; durable when this returns, as far as a sink is.

        Args:
            batch: its number.
            rows: of each query, live.
            keeps: whose rows, by label, are to be known when they are delivered.
        """
        delivered = DeliveredRows({}, {})
        writers: dict[str, list[tuple[Sink, RowWriter]]] = {}
        for answer in chain(map(self._with_held, rows), self._left()):
            label, found, last, *_ = answer
            if answer.written is not None:
                self._take(batch, label, answer.written)
                delivered.take(label, found, answer.written)
                continue
            if label not in writers:
                writers[label] = [(sink, _begun(sink, batch, label)) for sink in self._sinks]
            for sink, writer in writers[label]:
                with _named(sink, f"write of '{label}'"):
                    writer.write(found)
                    if last:
                        writer.close()
            delivered.add(label, unmarked(found), keeps=keeps(label))
        for sink in self._sinks:
            with _named(sink, "flush"):
                sink.flush()
        return delivered

    def targets(self, label: str) -> list[RowTarget] | None:
        """How tasks write the rows of a query for the sinks; `None`: one of these has to be given them."""
        if label in self._held:
            return None
        found = [sink.target(label) if isinstance(sink, FileSink) else None for sink in self._sinks]
        targets = [target for target in found if target is not None]
        return targets if len(targets) == len(found) else None

    def _take(self, batch: int, label: str, written: WrittenRows) -> None:
        """Let sinks take what tasks have written of a query."""
        if not written.num_rows:
            for sink in self._sinks:
                _begun(sink, batch, label).close()
            return
        for sink, path in zip(self._sinks, written.files, strict=True):
            with _named(sink, f"take of '{label}'"):
                if isinstance(sink, FileSink):
                    sink.take(batch, label, path)

    def _with_held(self, answer: QueryRows) -> QueryRows:
        """Rows of the batch behind those that were held for it."""
        if answer.written is not None:  # nothing is held then: see `targets`
            return answer
        held = self._held.pop(answer.label, [])
        return answer._replace(rows=joined_rows([*held, marked(answer.rows, "live")]))

    def _left(self) -> Iterator[QueryRows]:
        """What is held of queries that the batch does not answer."""
        while self._held:
            label = next(iter(self._held))
            yield QueryRows(label, joined_rows(self._held.pop(label)))

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


def _on_disk(rows: pa.Table) -> pa.Table:
    """The same rows, read as they are asked for from a file without a name, which goes with them."""
    with NamedTemporaryFile(prefix="kaicep-rows-") as file:
        with pa.ipc.new_file(file, rows.schema) as writer:
            writer.write_table(rows)
        file.flush()
        with pa.memory_map(file.name) as mapped:
            return pa.ipc.open_file(mapped).read_all()


def _begun(sink: Sink, batch: int, label: str) -> RowWriter:
    with _named(sink, f"write of '{label}'"):
        return writer_of(sink, batch, label)


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
