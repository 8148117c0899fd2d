"""Whether an archive is sound: every segment is read, and the store compared with the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

import polars as pl
import pyarrow as pa

from ..config import Settings
from ..errors import ArchiveError
from ..storage import StoragePath, is_damaged, mirrored_files
from .folder_layout import IDLE_WATERMARKS, LOG, PROVENANCES, SPOOL, STORE, ArchivePlace
from .log import (
    EventLog,
    Manifest,
    Position,
    QuarantinedSegment,
    SegmentSlice,
    check_segment,
    quarantined,
    read_consistently,
    read_segment,
)
from .matches import MatchLog
from .store import (
    HOLDS_MATCHES,
    CommittedOffset,
    Store,
    bucket_start,
    graphs_of,
    match_graphs_of,
    query_of_graph,
    store_kind,
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
        log_lacks: whether the store has what the log has lost: then it must not be built anew.
    """

    events: Mapping[str, int]
    segments: int
    lag: Lag | None
    log_faults: tuple[str, ...]
    store_faults: tuple[str, ...]
    matches: Mapping[str, int] = field(default_factory=dict)
    log_lacks: bool = False


@dataclass(frozen=True, slots=True)
class _StoreFault:
    """How a store and its log differ.

    Attributes:
        said: in words.
        of_log: whether it is the log that lacks something.
    """

    said: str
    of_log: bool = False


def verify(settings: Settings, timeout: float = 10.0) -> Health:
    """Read all of an archive, also while an engine writes it.

    Args:
        settings: of the project.
        timeout: seconds that a running engine has to answer.

    Raises:
        ArchiveError: there is no archive, or a newer kaicep wrote it.
    """
    place = ArchivePlace.of(settings)
    place.require()
    path, log, matches = place.root, EventLog(place.log(LOG)), MatchLog(place.logs)
    events, faults, segments = _read(log)
    found, of_matches, more_segments = _read(matches.log)
    others = [EventLog(place.log(IDLE_WATERMARKS)), EventLog(path / SPOOL)]
    faults += [fault for other in others for fault in _read(other)[1]]
    missing = [_missing(one) for each in (log, matches.log, *others) for one in quarantined(each.path)]
    log_faults = [*missing, *faults, *_damaged_notes(place), *(of_matches or _lost_provenances(matches))]
    lag: Lag | None = None
    store_faults: list[_StoreFault] = []
    if not log_faults:
        try:
            if settings.archive.endpoint is not None or (path / STORE).is_dir():
                with store_kind(settings.archive).reading(settings.archive, path, timeout) as store:
                    lag = lag_of(store, log, matches.log)
                    store_faults = _store_faults(store, log, matches.log, settings)
        except ArchiveError as error:
            store_faults = [_StoreFault(str(error))]
    return Health(
        events,
        segments + more_segments,
        lag,
        tuple(log_faults),
        tuple(fault.said for fault in store_faults),
        found,
        log_lacks=any(fault.of_log for fault in store_faults),
    )


def _read(log: EventLog) -> tuple[dict[str, int], list[str], int]:
    """Read all of a log: rows by stream, none where something is wrong; what that is; the number of segments."""
    faults = {stream: read_consistently(partial(_broken, log.manifest(stream))) for stream in log.streams()}
    known = {stream: 0 if faults[stream] else log.count(stream) for stream in log.streams()}
    segments = sum(len(log.manifest(stream).segments()) for stream in log.streams())
    return known, [fault for found in faults.values() for fault in found], segments


def _damaged_notes(place: ArchivePlace) -> list[str]:
    """Say which small files, or their mirrors, are not as they were written."""
    folder = place.log(PROVENANCES)
    provenances = mirrored_files(folder, "*.json")
    kept: list[StoragePath] = [*mirrored_files(place.root / SPOOL, "*.json")]
    notes = [*provenances, *kept]
    return [f"{path}: it or its mirror is damaged: an engine writes it anew" for path in notes if is_damaged(path)]


def _missing(lost: QuarantinedSegment) -> str:
    """Say what a segment that was set aside takes from the log."""
    back = "`kaicep repair` brings them back from the store, or with --from from a backup"
    if lost.home.parent.parent.name == SPOOL:
        back = "`kaicep repair` brings them back with --from from a backup; their sources may have them still"
    return f"{lost.path}: broken, and in quarantine: the log is without {lost}: {back}"


def _lost_provenances(matches: MatchLog) -> list[str]:
    """Say what rows of matches name and nobody knows any more."""
    said = []
    for digest in sorted(matches.provenances()):
        try:
            matches.provenance(digest)
        except ArchiveError as error:
            said.append(str(error))
    return said


def _store_faults(store: Store, log: EventLog, matches: EventLog, settings: Settings) -> list[_StoreFault]:
    newest, held = log.last, store.committed()
    if held is not None and (newest is None or held.position > newest):
        said = f"the store holds batch {held.position}, the log none behind {newest}"
        return [_StoreFault(f"{said}: segments of the log are lost", of_log=True)]
    streams = [stream for stream in log.streams() if stream in settings.streams]
    events = _Kind(log, streams, held, graphs_of, stream_of_graph, "events")
    found = _Kind(
        matches, matches.streams(), store.committed(HOLDS_MATCHES), match_graphs_of, query_of_graph, "matches"
    )
    counts, since = store.events_by_graph(), store.since
    return [fault for kind in (events, found) for fault in _differences(kind, counts, since, settings)]


def _broken(manifest: Manifest) -> list[str]:
    """Read each segment; say what is wrong with it."""
    said = []
    end: Position | None = None
    for one in manifest.segments():
        try:
            check_segment(one.path)
            facts = manifest.facts(one.path)
        except ArchiveError as error:
            said.append(str(error))
            continue
        if end is not None and one.first <= end:
            said.append(f"{one.path}: has batches that the segment before it has too: restore both from a backup")
        if not one.single and manifest.batches(one).total != facts.rows:
            said.append(f"{one.path}: does not say which batches it holds: restore it from a backup")
        end = one.last
    return said


@dataclass(frozen=True, slots=True)
class _Kind:
    """One log, and what the store has of it.

    Attributes:
        log: of events or of matches.
        names: the streams, or queries, whose rows become RDF.
        committed: how far the store is.
        graphs: names the graph of each row.
        name_of: names the stream or query of a graph.
        rows: what its rows are called.
    """

    log: EventLog
    names: Sequence[str]
    committed: CommittedOffset | None
    graphs: Callable[[str, pa.Table, timedelta], pl.Series]
    name_of: Callable[[str], str | None]
    rows: str


def _differences(
    kind: _Kind, counts: Mapping[str, int], since: datetime | None, settings: Settings
) -> Iterator[_StoreFault]:
    """Compare each graph with its log: it has at least the rows that the store says it holds, and no others."""
    held = held_of(kind.log, kind.committed)
    kept = settings.archive.log_size is None and settings.archive.log_age == timedelta.max
    for name in kind.names:
        least = {} if held is None else _logged(kind, name, held, settings)
        most = _logged(kind, name, None, settings)
        for graph in sorted({*most, *(g for g in counts if kind.name_of(g) == name)}):
            if not _dropped(graph, since):
                found = counts.get(graph, 0), least.get(graph, 0), most.get(graph, 0)
                yield from _difference(graph, *found, kind.rows, kept=kept)


def _difference(graph: str, found: int, least: int, most: int, rows: str, *, kept: bool) -> Iterator[_StoreFault]:
    if found < least:
        yield _StoreFault(f"<{graph}> has {found:,} {rows}, the log {least:,}")
    elif found > most and kept:
        yield _StoreFault(f"<{graph}> has {found:,} {rows}, the log only {most:,}", of_log=True)


def _dropped(graph: str, since: datetime | None) -> bool:
    start = bucket_start(graph)
    return since is not None and start is not None and start < since


def _logged(kind: _Kind, name: str, upto: Position | None, settings: Settings) -> dict[str, int]:
    """Count the rows of each graph, segment by segment; an id that comes again counts once."""

    def count() -> dict[str, int]:
        parts = [_ids(kind, part, name, settings) for part in kind.log.slices(name, upto=upto)]
        if not parts:
            return {}
        counted = pl.concat(parts).unique().group_by("graph").len()
        return dict(counted.iter_rows())

    return read_consistently(count)


def _ids(kind: _Kind, part: SegmentSlice, name: str, settings: Settings) -> pl.DataFrame:
    rows = read_segment(part.path, columns=frozenset({"_time", "_id"}), rows=part.rows)
    ids = pl.Series("id", rows["_id"]).hash()
    return pl.DataFrame({"id": ids, "graph": kind.graphs(name, rows, settings.archive.bucket)})
