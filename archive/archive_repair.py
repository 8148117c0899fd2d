"""Repair: the events of segments that were set aside come back into the log, from wherever they still are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..annotator import EventShape, exclude_ids, ids_of
from ..config import Settings
from ..errors import ArchiveError
from ..storage import StoragePath
from .folder_layout import IDLE_WATERMARKS, LOG, MATCHES, SPOOL, STORE, ArchivePlace, require_archive
from .log import (
    BrokenSegmentError,
    EventLog,
    Position,
    QuarantinedSegment,
    check_segment,
    first_of_each_id,
    quarantined,
)
from .matches import MatchLog
from .read_view import ReadView, open_read_view
from .rewrite import stored_events
from .store import Store, StoreCopy, bucket_start, damaged_folders, store_kind
from .sync import Spool

__all__ = ["Repair", "repair"]

Batches = Mapping[Position, pa.Table]
_OF_BATCHES = ("itself", "backup")
"""Who has the batches of a segment as they were; a store that brings nothing new may have been built without them."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of a segment that was set aside, or is gone.

    Attributes:
        lost: it, in words.
        rows: how many came back.
        source: `itself`, `backup`, `store`, `damaged store`; `log`: it lacks nothing; `None`: the segment stays.
        path: of a segment that was set aside.
        origin: of what an archiver had kept, where it had come from; the next engine reads what is there still.
    """

    lost: str
    rows: int
    source: str | None
    path: StoragePath | None = None
    origin: str | None = None


def repair(settings: Settings, backup: Path | None = None) -> list[Repair]:
    """Bring back what segments had that were set aside, or are gone, of an archive that nobody writes.

    What is gone is looked for where nothing ever leaves the log: elsewhere it may have left by age.

    Args:
        settings: of the project.
        backup: what `kaicep backup` made; where it has nothing of a segment the store is asked.

    Returns:
        What became of each.

    Raises:
        ArchiveError: there is no archive, another process writes it, or the file system refuses.
    """
    place = ArchivePlace.of(settings)
    place.require()
    if backup is not None:
        require_archive(backup)
    done = []
    with ExitStack() as opened:
        for folder in (LOG, MATCHES, IDLE_WATERMARKS):
            log = EventLog(place.log(folder), locks=place.locks(folder))
            if not log.path.is_dir():
                continue
            opened.callback(log.close)
            log.lock()
            copy = None if backup is None else EventLog(backup / folder)
            done += [_repaired(settings, log, lost, copy) for lost in list(quarantined(log.path))]
            if settings.archive.log_size is None and settings.archive.log_age == timedelta.max:
                done += [] if copy is None else _gone(settings, log, copy)
                done += _unlogged(settings, log) if folder == LOG and settings.archive.store else []
    return done + _repaired_intake(settings, place.root, backup)


def _repaired_intake(settings: Settings, root: Path, backup: Path | None) -> list[Repair]:
    """Bring back what an archiver had kept, as if it had kept it now: the engine takes it with the rest."""
    lacking = list(quarantined(root / SPOOL))
    if not lacking:
        return []
    done, spool = [], Spool(root)
    spool.lock()
    try:
        for lost in lacking:
            copy = None if backup is None else EventLog(backup / SPOOL)
            has = {"itself": EventLog(lost.path.parent.parent) if _sound(lost) else None, "backup": copy}
            found = ((name, {} if log is None else _of_log(log, lost.stream, lost)) for name, log in has.items())
            source, batches = next(((name, of) for name, of in found if of), (None, {}))
            rows = sum(spool.append({lost.stream: events}) for events in batches.values())
            if source is not None:
                lost.path.unlink()
            done.append(
                Repair(f"{lost} of the intake", rows, source, None if source else lost.path, _origin(settings, lost))
            )
    finally:
        spool.close()
    return done


def _origin(settings: Settings, lost: QuarantinedSegment) -> str | None:
    """Where the events of an archiver came from."""
    stream = settings.streams.get(lost.stream)
    source = None if stream is None else stream.source
    return None if source is None else f"{source.format} {source.place or ''}".strip()


def _gone(settings: Settings, log: EventLog, backup: EventLog) -> Iterator[Repair]:
    """Bring back batches that a backup has and the log lacks."""
    for stream in backup.streams():
        known = {position for position, _ in log.manifest(stream).rows_by_batch()}
        found = {p: events for p, events in _of_log(backup, stream).items() if p not in known}
        new = _unknown(log, stream, found)
        if new:
            log.put_back(stream, new)
            _tell_store(settings, log, stream, new)
            yield Repair(f"{len(new)} batches of {stream}", sum(rows.num_rows for rows in new.values()), "backup")


def _unlogged(settings: Settings, log: EventLog) -> Iterator[Repair]:
    """Bring back events that the store has and the log lacks, graph by graph, with the batches of their time."""
    if settings.archive.endpoint is None and not (ArchivePlace.of(settings).root / STORE).is_dir():
        return
    with open_read_view(settings) as view:
        store, bucket = view.store, settings.archive.bucket
        if store is None:
            return
        for stream, shape in view.shapes.items():
            count = sum([_put_back_from(store, log, shape, graph, bucket) for graph in store.graphs(stream)])
            if count:
                yield Repair(f"events of {stream}", count, "store")


def _put_back_from(store: Store, log: EventLog, shape: EventShape, graph: str, bucket: timedelta) -> int:
    """Bring back what the log lacks of a graph; count it."""
    start = bucket_start(graph)
    if start is None:
        return 0
    found = stored_events(store, shape, start, start + bucket)
    new = _unknown(log, shape.stream, {Position(0, 0): found})
    for events in new.values():
        log.put_back(shape.stream, {_batch_at(log, shape.stream, events): events})
    return sum(events.num_rows for events in new.values())


def _batch_at(log: EventLog, stream: str, events: pa.Table) -> Position:
    """The batch that events of this time are put to: the first that has later ones, else the last."""
    first = pc.min(events["_time"]).as_py()
    slices = log.slices(stream)
    later = next((part.first for part in slices if part.facts.last >= first), None)
    return later or log.newest or Position(log.generation, 1)


def _repaired(settings: Settings, log: EventLog, lost: QuarantinedSegment, backup: EventLog | None) -> Repair:
    for source, found in _sources(settings, log, lost, backup):
        new = _unknown(log, lost.stream, found)
        if new:
            log.put_back(lost.stream, new, lost.home)
            if source != "store":
                _tell_store(settings, log, lost.stream, new)
        if new or (found and source in _OF_BATCHES):
            lost.path.unlink()
            return Repair(str(lost), sum(rows.num_rows for rows in new.values()), source if new else "log")
    return Repair(str(lost), 0, None, lost.path)


def _sources(
    settings: Settings, log: EventLog, lost: QuarantinedSegment, backup: EventLog | None
) -> Iterator[tuple[str, Batches]]:
    """Where the rows of a segment may be, the best source first, and what it has."""
    yield "itself", _of_log(EventLog(lost.path.parent.parent), lost.stream, lost) if _sound(lost) else {}
    if backup is not None:
        yield "backup", _of_log(backup, lost.stream, lost)
    if log.path.name == LOG and settings.archive.store:
        with open_read_view(settings) as view:
            found = _of_store(view, lost)
        yield "store", found
        for view in _damaged_stores(settings):
            try:
                found = _of_store(view, lost)
            except ArchiveError:  # it is damaged where these events are
                found = {}
            yield "damaged store", found


def _sound(lost: QuarantinedSegment) -> bool:
    """Whether a file is as it was written after all: somebody has put a copy there."""
    try:
        check_segment(lost.path)
    except BrokenSegmentError:
        return False
    return True


def _of_log(log: EventLog, stream: str, lost: QuarantinedSegment | None = None) -> Batches:
    """The batches of a stream, or those of a segment, that a log has."""
    known = log.manifest(stream).rows_by_batch(None if lost is None else lost.first.before)
    positions = [position for position, _ in known if lost is None or position <= lost.last]
    found = {position: log.batch_of(stream, position) for position in positions}
    return {position: events for position, events in found.items() if events is not None}


def _damaged_stores(settings: Settings) -> Iterator[ReadView]:
    """The stores that were set aside and can be opened, the latest first."""
    place = ArchivePlace.of(settings)
    for folder in reversed(damaged_folders(place.root / STORE)):
        try:
            with closing(StoreCopy(folder, settings.archive.bucket)) as store:
                view = ReadView(settings, EventLog(place.log(LOG)), MatchLog(place.logs), store=store)
                view.shapes  # noqa: B018 - of the knowledge that it holds: asked here, since that may be what is damaged
                yield view
        except ArchiveError:
            continue


def _of_store(view: ReadView, lost: QuarantinedSegment) -> Batches:
    """What the store has, as if all of it had come with the first batch: it does not know of batches."""
    start, end = (None, None) if lost.facts is None else (lost.facts.first, lost.facts.last + timedelta.resolution)
    shape = None if view.store is None else view.shapes.get(lost.stream)
    if view.store is None or shape is None:
        return {}
    events = stored_events(view.store, shape, start, end)
    return {lost.first: events} if events.num_rows else {}


def _unknown(log: EventLog, stream: str, batches: Batches) -> Batches:
    """Those of the events that the log lacks."""
    found = {}
    for position, events in batches.items():
        if not events.num_rows:
            continue
        times = pc.min_max(events["_time"]).as_py()
        known = log.read(stream, times["min"], times["max"] + timedelta.resolution, ["_id"])
        found[position] = exclude_ids(first_of_each_id(events), ids_of(known))
    return {position: events for position, events in found.items() if events.num_rows}


def _tell_store(settings: Settings, log: EventLog, stream: str, batches: Batches) -> None:
    """Write to the store what a backup had: it may have passed over these batches as empty ones."""
    root = settings.path(settings.archive.path)
    if (
        log.path.name == IDLE_WATERMARKS
        or not settings.archive.store
        or (settings.archive.endpoint is None and not (root / STORE).is_dir())
    ):
        return  # the next start builds it from the log
    with open_read_view(settings) as view:
        encode = next(each.encode for each in view.encoded_logs() if each.log.path == log.path)
        texts = [encode(stream, rows) for rows in batches.values()]
    store = store_kind(settings.archive).open(settings.archive, root)
    try:
        for text in texts:
            store.add(text)
    finally:
        store.close()
