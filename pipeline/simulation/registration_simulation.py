"""A registration in the middle of a recorded stream: its past in a real archive, the rest live (paper §6).

Where archive and live stream meet, some events may be in both (a negative gap), and some may still be on their way to
the archive (a positive one). Neither may show in the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import AnnotatedBatch
from ...archive import Archive
from ...archive.log import Position
from ...planner import ROWS_AT_ONCE, Strategy, wait_for_archive
from ..catalog import Catalog
from ..flow import Backfill, Batch, BatchResult, Dataflow, Registration, queries_with_a_past

_PIECES = 4
_FEWEST = 4


@dataclass(frozen=True, slots=True)
class Gap:
    """Where archive and live stream meet when a query is registered.

    Attributes:
        moment: of the registration, in the streams' time.
        overlap: how much before it is live as well.
        in_flight: how much before it reaches the archive only after it.
    """

    moment: datetime
    overlap: timedelta = timedelta(0)
    in_flight: timedelta = timedelta(0)


def simulate(
    project: Catalog,
    queries: Sequence[Registration],
    streams: Mapping[str, AnnotatedBatch],
    gap: Gap,
    strategy: Strategy | None,
    *,
    calls: list[pa.Table],
) -> Iterator[pa.Table]:
    """The rows of the last query, first those of the past.

    Args:
        project: of the streams and queries.
        queries: in order, with the time of their registration.
        streams: annotated tuples by stream, in order of arrival; they end then.
        gap: where archive and live stream meet.
        strategy: how the past is answered; `None`: as the planner chooses.
        calls: takes what rules call, as `rules.in_order` does.

    Raises:
        PlanError: the strategy cannot answer the query.
    """
    live = project.dataflow()
    moments = gap.moment, gap.moment - gap.in_flight, gap.moment - gap.overlap
    registered, archived, begun = (places(streams, moment) for moment in moments)
    with _archive(project, store=strategy is not Strategy.REPLAY) as archive:
        archiver = project.dataflow()
        _append(archive, 1, archiver.process(_rows(streams, None, archived)))
        archive.flush()
        on_the_way = archiver.process(_rows(streams, archived, registered))
        live.process(_rows(streams, None, begun))
        for query in queries:
            live.register(query)
        with ThreadPoolExecutor(1) as second:
            second.submit(_append, archive, 2, on_the_way)
            missing = any(begun[s] > archived[s] and on_the_way.streams[s].archived.num_rows for s in streams)
            upto = Position(archive.log.generation, 2 if missing else 1)
            wait_for_archive(archive, upto if missing else None, project.settings.archive.in_flight)
            yield from _past(live, [q.label for q in queries], archive, upto, strategy, calls=calls)
        for batch in (_rows(streams, begun, None), Batch(ends=True)):
            result = live.process(batch)
            yield from result.rows_of(queries[-1].label)
            calls += result.called


def _past(
    live: Dataflow,
    labels: Sequence[str],
    archive: Archive,
    upto: Position,
    strategy: Strategy | None,
    *,
    calls: list[pa.Table],
) -> Iterator[pa.Table]:
    """The rows of the last query that the archive makes certain."""
    early = queries_with_a_past(live, labels)
    if not early:
        return
    rows = max(_FEWEST, archive.scan(live.watermarks).rows() // _PIECES)
    backfill = Backfill(live, early, archive, upto=upto, strategy=strategy, rows=min(rows, ROWS_AT_ONCE))
    for batch in backfill.batches():
        result = backfill.dataflow.process(batch)
        yield from result.rows_of(labels[-1])
        calls += result.called
    backfill.hand_over(live)


def places(streams: Mapping[str, AnnotatedBatch], moment: datetime) -> dict[str, int]:
    """By stream, how many events came before the first one of `moment` or later."""
    places = {}
    for name, batch in streams.items():
        times = batch.events["_time"]
        first = pc.index(pc.greater_equal(times, pa.scalar(moment, times.type)), value=True).as_py()
        places[name] = len(times) if first < 0 else first
    return places


def _rows(
    streams: Mapping[str, AnnotatedBatch], start: Mapping[str, int] | None, end: Mapping[str, int] | None
) -> Batch:
    """The events from one place on up to another."""
    found = {}
    for name, batch in streams.items():
        first = 0 if start is None else start[name]
        last = batch.events.num_rows if end is None else end[name]
        found[name] = AnnotatedBatch(batch.events.slice(first, max(0, last - first)), batch.rejected, batch.unlinked)
    return Batch(found)


def _append(archive: Archive, batch: int, result: BatchResult) -> None:
    archive.append(batch, {name: stream.archived for name, stream in result.streams.items()})


@contextmanager
def _archive(project: Catalog, *, store: bool) -> Iterator[Archive]:
    """An archive of the project that is gone afterwards."""
    with TemporaryDirectory(prefix="kaicep-") as folder:
        settings = project.settings.archive.apart(str(Path(folder) / "archive"), store=store)
        shapes = project.shapes
        with Archive(project.settings.model_copy(update={"archive": settings}), project.knowledge, shapes) as archive:
            yield archive
