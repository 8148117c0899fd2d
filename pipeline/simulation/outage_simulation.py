"""An outage in the middle of a recorded stream: an engine ends, an archiver goes on, another engine comes (paper §6.3).

What an engine does is done: its durable data flow, log, snapshots, an archiver's spool; only Spark is left out.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from ...annotator import AnnotatedBatch
from ...archive import Archive
from ...archive.sync import Spool
from ...planner import Strategy
from ..catalog import Catalog
from ..durability import CheckpointedFlow
from ..flow import Registration
from ..sinks import Sink, unmarked
from ..sources import RawBatch
from .registration_simulation import places

__all__ = ["Outage", "RowConsumer", "simulate_outage"]


@dataclass(frozen=True, slots=True)
class Outage:
    """When no engine runs.

    Attributes:
        since: in the time of the streams.
        until: likewise.
        overlap: how much before either end is both archived and live.
        in_flight: how much before the end is archived only after it.
        snapshots: whether those of the operators are there still afterwards.
    """

    since: datetime
    until: datetime
    overlap: timedelta = timedelta(0)
    in_flight: timedelta = timedelta(0)
    snapshots: bool = True


class RowConsumer(Sink):
    """Keeps the rows of one query, and outlives engines.

    Args:
        label: of the query.

    Attributes:
        tables: its rows, one table for each batch or piece of one.
    """

    def __init__(self, label: str) -> None:
        self.tables: list[pa.Table] = []
        self._label = label

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Keep the rows, if they are of this query."""
        del batch_id
        if query_name == self._label:
            self.tables.append(unmarked(matches))

    def snapshot(self) -> dict[str, Any]:
        """How much there is."""
        return {"tables": len(self.tables)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Forget what comes again."""
        del self.tables[state.get("tables", 0) :]


def simulate_outage(
    project: Catalog,
    queries: Sequence[Registration],
    streams: tuple[Mapping[str, pa.Table], Mapping[str, AnnotatedBatch]],
    down: Outage,
    *,
    calls: list[pa.Table],
    registered_at: datetime | None,
    strategy: Strategy | None,
) -> Iterator[pa.Table]:
    """The rows of the last query.

    Args:
        project: of the streams and queries.
        queries: in order, with the time of their registration.
        streams: tuples by stream, in order of arrival, raw and annotated; they end then.
        down: when no engine runs.
        calls: takes what rules call, batch by batch.
        registered_at: when the queries are registered; `None`: before all events.
        strategy: how a past is answered; `None`: as the planner chooses.

    Raises:
        KaicepError: the last query was parked: the strategy cannot answer it, or it has failed.
    """
    sink, kept = RowConsumer(queries[-1].label), _KeptCalls()
    stream = _Stream(*streams)
    with TemporaryDirectory(prefix="kaicep-") as folder:
        root = Path(folder)
        with _engine(project, root, (sink, kept), strategy) as first:
            first.go(queries, stream, (None, down.since), registered_at)
        begin = down.since - down.overlap
        end = max(begin, down.until - down.in_flight)
        archiver = Spool(root / "archive")
        archiver.append(stream.events(begin, end))
        if not down.snapshots:
            shutil.rmtree(root / "state" / "snapshots")
        with _engine(project, root, (sink, kept), strategy) as other:
            archiver.append(stream.events(end, down.until))
            archiver.close()
            other.go(queries, stream, (down.until - down.overlap, None), registered_at, down.until)
            at_end = other.flow.finish().calls
            _check(other, queries[-1].label)
    calls += [*kept.batches.values(), at_end]
    yield from sink.tables


class _KeptCalls:
    """Keeps what rules call, and outlives engines: a batch that is done again has what it calls then."""

    def __init__(self) -> None:
        self.batches: dict[int, pa.Table] = {}

    def put(self, batch: int, calls: pa.Table) -> None:
        """Keep the calls of a batch."""
        self.batches[batch] = calls

    def release(self, batch: int) -> None:
        """Nothing goes out."""

    def end(self) -> None:
        """Nothing does then either."""


def _check(engine: _Engine, label: str) -> None:
    """An engine parks what it cannot answer, and goes on; whoever asked for its rows is told why there are none."""
    parked = next((parked for parked in engine.flow.queries.parked if parked.label == label), None)
    if parked is not None:
        raise parked.failure


class _Stream:
    """Recorded streams, to be cut at moments."""

    def __init__(self, raw: Mapping[str, pa.Table], annotated: Mapping[str, AnnotatedBatch]) -> None:
        self._raw, self._annotated = raw, annotated

    def records(self, start: datetime | None, end: datetime | None) -> dict[str, RawBatch]:
        """The raw tuples that come between the first event of one moment, or later, and that of another."""
        found = {}
        for name, table in self._raw.items():
            first, last = (self._row(name, place) for place in self._between(name, start, end))
            found[name] = RawBatch(table.slice(first, max(0, last - first)))
        return found

    def events(self, start: datetime | None, end: datetime | None) -> dict[str, pa.Table]:
        """The same as event tables."""
        found = {}
        for name, batch in self._annotated.items():
            first, last = self._between(name, start, end)
            found[name] = batch.events.slice(first, max(0, last - first))
        return found

    def _between(self, name: str, start: datetime | None, end: datetime | None) -> tuple[int, int]:
        one = {name: self._annotated[name]}
        first = 0 if start is None else places(one, start)[name]
        last = self._annotated[name].events.num_rows if end is None else places(one, end)[name]
        return first, last

    def _row(self, name: str, place: int) -> int:
        events = self._annotated[name].events
        if place == 0:
            return 0
        return self._raw[name].num_rows if place == events.num_rows else int(events["_row"][place].as_py())


@dataclass(frozen=True, slots=True)
class _Engine:
    flow: CheckpointedFlow
    archive: Archive

    def go(
        self,
        queries: Sequence[Registration],
        stream: _Stream,
        between: tuple[datetime | None, datetime | None],
        registered_at: datetime | None,
        started_at: datetime | None = None,
    ) -> None:
        """Read the stream from one moment to another; register the queries when it is time."""
        start, end = between
        if registered_at is None or (started_at is not None and registered_at <= started_at):
            self.flow.queries.submit(queries)
        elif end is None or registered_at <= end:
            self._run(stream, start, registered_at)
            self.flow.queries.submit(queries)
            start = registered_at
        self._run(stream, start, end)

    def _run(self, stream: _Stream, start: datetime | None, end: datetime | None) -> None:
        self.archive.flush()  # a strategy that is asked for needs what the store was given
        self.flow.run((self.flow.last or 0) + 1, stream.records(start, end))


@contextmanager
def _engine(
    project: Catalog, root: Path, taking: tuple[Sink, _KeptCalls], strategy: Strategy | None
) -> Iterator[_Engine]:
    """An engine whose state and archive lie in a folder."""
    settings, (sink, calls) = project.settings, taking
    store = settings.archive.store and strategy is not Strategy.REPLAY
    archive_settings = settings.archive.apart(str(root / "archive"), store=store)
    shapes = project.shapes
    with Archive(settings.model_copy(update={"archive": archive_settings}), project.knowledge, shapes) as archive:
        flow = CheckpointedFlow(project, root / "state", [sink], archive, strategy=strategy, outbox=calls)
        try:
            yield _Engine(flow, archive)
        finally:
            flow.close()
