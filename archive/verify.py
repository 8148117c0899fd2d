"""Whether an archive is sound: every segment is read, and the store compared with the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyoxigraph as ox

from ..config import Settings
from ..errors import ArchiveError
from .backup import require
from .folder_layout import LOG, STORE
from .log import Catalogue, EventLog, Part, Position, segment, steadily
from .matches import MatchLog
from .store import (
    EVENTS_BY_GRAPH,
    HOLDS_MATCHES,
    Progress,
    bucket_start,
    copy_of_store,
    endpoint_store,
    events_by_graph,
    graphs_of,
    match_graphs_of,
    progress_of,
    query_of_graph,
    since_of,
    stream_of_graph,
)
from .sync import Lag, held_of, lag_of


@dataclass(frozen=True, slots=True)
class Health:
    """What was found.

    Attributes:
        events: of the log, by stream.
        segments: how many the logs have.
        lag: how far the store is behind the log; `None` without a usable store.
        log_faults: what is wrong with the log.
        store_faults: what is wrong with the store; it can be built again from the log.
        matches: of the log, by query.
    """

    events: Mapping[str, int]
    segments: int
    lag: Lag | None
    log_faults: tuple[str, ...]
    store_faults: tuple[str, ...]
    matches: Mapping[str, int] = field(default_factory=dict)


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
    log, matches = EventLog(path / LOG), MatchLog(path)
    events, faults, segments = _read(log)
    found, of_matches, more_segments = _read(matches.log)
    log_faults = [*faults, *(of_matches or _lost_origins(matches))]
    lag, store_faults = None, []
    if not log_faults:
        try:
            stored = _stored(settings, path, timeout)
            if stored is not None:
                lag = lag_of(log, stored.progress, matches.log, stored.matched)
                store_faults = _store_faults(stored, log, matches.log, settings)
        except ArchiveError as error:
            store_faults = [str(error)]
    return Health(events, segments + more_segments, lag, tuple(log_faults), tuple(store_faults), found)


def _read(log: EventLog) -> tuple[dict[str, int], list[str], int]:
    """Read all of a log: rows by stream, none where something is wrong; what that is; the number of segments."""
    faults = {stream: steadily(partial(_broken, log.catalogue(stream))) for stream in log.streams()}
    known = {stream: 0 if faults[stream] else log.count(stream) for stream in log.streams()}
    segments = sum(len(log.catalogue(stream).segments()) for stream in log.streams())
    return known, [fault for found in faults.values() for fault in found], segments


def _lost_origins(matches: MatchLog) -> list[str]:
    """Say what rows of matches name and nobody knows any more."""
    said = []
    for digest in sorted(matches.origins()):
        try:
            matches.origin(digest)
        except ArchiveError as error:
            said.append(str(error))
    return said


def _store_faults(stored: _Stored, log: EventLog, matches: EventLog, settings: Settings) -> list[str]:
    newest = max(log.positions(), default=None)
    if stored.progress is not None and (newest is None or stored.progress.position > newest):
        said = f"the store holds batch {stored.progress.position}, the log none behind {newest}"
        return [f"{said}: segments of the log are lost"]
    streams = [stream for stream in log.streams() if stream in settings.streams]
    events = _Kind(log, streams, stored.progress, graphs_of, stream_of_graph, "events")
    found = _Kind(matches, matches.streams(), stored.matched, match_graphs_of, query_of_graph, "matches")
    return [*_differences(events, stored, settings), *_differences(found, stored, settings)]


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


@dataclass(frozen=True, slots=True)
class _Kind:
    """One log, and what the store has of it.

    Attributes:
        log: of events or of matches.
        names: the streams, or queries, whose rows become RDF.
        progress: how far the store is.
        graphs: names the graph of each row.
        name_of: names the stream or query of a graph.
        rows: what its rows are called.
    """

    log: EventLog
    names: Sequence[str]
    progress: Progress | None
    graphs: Callable[[str, pa.Table, timedelta], pl.Series]
    name_of: Callable[[str], str | None]
    rows: str


def _differences(kind: _Kind, stored: _Stored, settings: Settings) -> Iterator[str]:
    """Compare each graph with its log: it has at least the rows that the store says it holds, and no others."""
    held = held_of(kind.log, kind.progress)
    kept = settings.archive.log_size is None and settings.archive.log_age == timedelta.max
    for name in kind.names:
        least = {} if held is None else _logged(kind, name, held, settings)
        most = _logged(kind, name, None, settings)
        for graph in sorted({*most, *(g for g in stored.rows if kind.name_of(g) == name)}):
            if not _dropped(graph, stored.since):
                found = stored.rows.get(graph, 0), least.get(graph, 0), most.get(graph, 0)
                yield from _difference(graph, *found, kind.rows, kept=kept)


def _difference(graph: str, found: int, least: int, most: int, rows: str, *, kept: bool) -> Iterator[str]:
    if found < least:
        yield f"<{graph}> has {found:,} {rows}, the log {least:,}"
    elif found > most and kept:
        yield f"<{graph}> has {found:,} {rows}, the log only {most:,}"


def _dropped(graph: str, since: datetime | None) -> bool:
    start = bucket_start(graph)
    return since is not None and start is not None and start < since


@dataclass(frozen=True, slots=True)
class _Stored:
    """What a store says of itself, and how many events or matches each graph has."""

    progress: Progress | None
    matched: Progress | None
    since: datetime | None
    rows: Mapping[str, int]


def _stored(settings: Settings, path: Path, timeout: float) -> _Stored | None:
    if settings.archive.endpoint is not None:
        far = endpoint_store(settings.archive, settings.archive.endpoint, path)
        return _Stored(far.claim(), far.progress_of(HOLDS_MATCHES), far.since, far.events_by_graph())
    if not (path / STORE).is_dir():
        return None
    with copy_of_store(path, timeout) as store:
        found = store.query(EVENTS_BY_GRAPH)
        if not isinstance(found, ox.QuerySolutions):
            raise TypeError(type(found))
        matched = progress_of(store, HOLDS_MATCHES)
        return _Stored(progress_of(store), matched, since_of(store), events_by_graph(found))


def _logged(kind: _Kind, name: str, upto: Position | None, settings: Settings) -> dict[str, int]:
    """Count the rows of each graph, segment by segment; an id that comes again counts once."""

    def count() -> dict[str, int]:
        parts = [_ids(kind, part, name, settings) for part in kind.log.parts(name, upto=upto)]
        if not parts:
            return {}
        counted = pl.concat(parts).unique().group_by("graph").len()
        return dict(counted.iter_rows())

    return steadily(count)


def _ids(kind: _Kind, part: Part, name: str, settings: Settings) -> pl.DataFrame:
    rows = segment.read(part.path, columns=frozenset({"_time", "_id"}), rows=part.rows)
    ids = pl.Series("id", rows["_id"]).hash()
    return pl.DataFrame({"id": ids, "graph": kind.graphs(name, rows, settings.archive.bucket)})
