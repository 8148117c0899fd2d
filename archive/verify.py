"""Whether an archive is sound: every segment is read, and the store compared with the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import polars as pl
import pyoxigraph as ox

from ..config import Settings
from ..errors import ArchiveError
from . import segment
from .backup import require
from .catalogue import Catalogue, Part, steadily
from .graphs import bucket_start, graphs_of, stream_of_graph
from .layout import LOG, STORE
from .log import EventLog
from .marks import EVENTS_BY_GRAPH, Progress, events_by_graph
from .segment import Position
from .semantic_store import endpoint_store
from .snapshots import copy_of_store
from .store import progress_of, since_of
from .writer import Lag, lag_of


@dataclass(frozen=True, slots=True)
class Health:
    """What was found.

    Attributes:
        events: of the log, by stream.
        segments: how many the log has.
        lag: how far the store is behind the log; `None` without a usable store.
        log_faults: what is wrong with the log.
        store_faults: what is wrong with the store; it can be built again from the log.
    """

    events: Mapping[str, int]
    segments: int
    lag: Lag | None
    log_faults: tuple[str, ...]
    store_faults: tuple[str, ...]


def verify(settings: Settings, timeout: float = 10.0) -> Health:
    """Read all of an archive, also while an engine writes it.

    Args:
        settings: of the project.
        timeout: seconds that a running engine has to answer.

    Raises:
        ArchiveError: there is no archive, or a newer kaicep wrote it.
    """
    path = settings.path(settings.archive.path)
    require(path)
    log = EventLog(path / LOG)
    faults = {stream: steadily(partial(_broken, log.catalogue(stream))) for stream in log.streams()}
    log_faults = [fault for found in faults.values() for fault in found]
    lag, store_faults = None, []
    if not log_faults:
        try:
            stored = _stored(settings, path, timeout)
            if stored is not None:
                lag = lag_of(log, stored.progress)
                store_faults = list(_differences(stored, log, settings))
        except ArchiveError as error:
            store_faults = [str(error)]
    known = {stream: 0 if faults[stream] else log.count(stream) for stream in log.streams()}
    segments = sum(len(log.catalogue(stream).segments()) for stream in log.streams())
    return Health(known, segments, lag, tuple(log_faults), tuple(store_faults))


def _broken(catalogue: Catalogue) -> list[str]:
    """Read each segment; say what is wrong with it."""
    said = []
    end: Position | None = None
    for one in catalogue.segments():
        try:
            facts, events = catalogue.facts(one.path), segment.read(one.path)
        except ArchiveError as error:
            said.append(str(error))
            continue
        if end is not None and one.first <= end:
            said.append(f"{one.path}: has batches that the segment before it has too: restore both from a backup")
        if not one.single and sum(batch.rows for batch in facts.batches) != events.num_rows:
            said.append(f"{one.path}: does not say which batches it holds: restore it from a backup")
        end = one.last
    return said


def _differences(stored: _Stored, log: EventLog, settings: Settings) -> Iterator[str]:
    """Compare each graph with the log: it has at least the events that the store says it holds, and no others."""
    progress = stored.progress
    newest = max(log.positions(), default=None)
    if progress is not None and (newest is None or progress.position > newest):
        yield f"the store holds batch {progress.position}, the log none behind {newest}: segments of the log are lost"
        return
    held = None
    if progress is not None:
        whole = progress.rows >= log.batch_rows(progress.position)
        held = progress.position if whole else Position(progress.position.generation, progress.position.batch - 1)
    since, events = stored.since, stored.events
    kept = settings.archive.log_size is None and settings.archive.log_age == timedelta.max
    for stream in (s for s in log.streams() if s in settings.streams):
        least = {} if held is None else _logged(log, stream, held, settings)
        most = _logged(log, stream, None, settings)
        for graph in sorted({*most, *(g for g in events if stream_of_graph(g) == stream)}):
            if not _dropped(graph, since):
                yield from _difference(graph, events.get(graph, 0), least.get(graph, 0), most.get(graph, 0), kept=kept)


def _difference(graph: str, found: int, least: int, most: int, *, kept: bool) -> Iterator[str]:
    if found < least:
        yield f"<{graph}> has {found:,} events, the log {least:,}"
    elif found > most and kept:
        yield f"<{graph}> has {found:,} events, the log only {most:,}"


def _dropped(graph: str, since: datetime | None) -> bool:
    start = bucket_start(graph)
    return since is not None and start is not None and start < since


@dataclass(frozen=True, slots=True)
class _Stored:
    """What a store says of itself, and how many events each graph has."""

    progress: Progress | None
    since: datetime | None
    events: Mapping[str, int]


def _stored(settings: Settings, path: Path, timeout: float) -> _Stored | None:
    if settings.archive.endpoint is not None:
        far = endpoint_store(settings.archive, settings.archive.endpoint, path)
        return _Stored(far.claim(), far.since, far.events_by_graph())
    if not (path / STORE).is_dir():
        return None
    with copy_of_store(path, timeout) as store:
        found = store.query(EVENTS_BY_GRAPH)
        if not isinstance(found, ox.QuerySolutions):
            raise TypeError(type(found))
        return _Stored(progress_of(store), since_of(store), events_by_graph(found))


def _logged(log: EventLog, stream: str, upto: Position | None, settings: Settings) -> dict[str, int]:
    """Count the events of each graph, segment by segment; an id that comes again counts once."""

    def count() -> dict[str, int]:
        parts = [_ids(part, stream, settings) for part in log.parts(stream, upto=upto)]
        if not parts:
            return {}
        counted = pl.concat(parts).unique().group_by("graph").len()
        return dict(counted.iter_rows())

    return steadily(count)


def _ids(part: Part, stream: str, settings: Settings) -> pl.DataFrame:
    events = segment.read(part.path, columns=frozenset({"_time", "_id"}), rows=part.rows)
    ids = pl.Series("id", events["_id"]).hash()
    return pl.DataFrame({"id": ids, "graph": graphs_of(stream, events, settings.archive.bucket)})
