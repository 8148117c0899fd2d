"""Repair: the events of segments that were set aside come back into the log, from wherever they still are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..annotator import exclude_ids, ids_of
from ..config import Settings
from .folder_layout import LOG, MATCHES, STORE, require_archive
from .log import (
    BrokenSegmentError,
    EventLog,
    Position,
    QuarantinedSegment,
    check_segment,
    first_of_each_id,
    quarantined,
)
from .read_view import open_read_view
from .rewrite import stored_events
from .store import store_kind

__all__ = ["Repair", "repair"]

Batches = Mapping[Position, pa.Table]


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of a segment that was set aside.

    Attributes:
        segment: it.
        rows: how many came back.
        source: `itself`, `backup`, `store`; `log`: it lacks nothing; `None`: the segment stays where it is.
    """

    segment: QuarantinedSegment
    rows: int
    source: str | None


def repair(settings: Settings, backup: Path | None = None) -> list[Repair]:
    """Bring back what segments had that were set aside, of an archive that nobody writes.

    Args:
        settings: of the project.
        backup: what `kaicep backup` made; where it has nothing of a segment the store is asked.

    Returns:
        What became of each.

    Raises:
        ArchiveError: there is no archive, another process writes it, or the file system refuses.
    """
    root = settings.path(settings.archive.path)
    require_archive(root)
    if backup is not None:
        require_archive(backup)
    done = []
    with ExitStack() as opened:
        for folder in (LOG, MATCHES):
            log = EventLog(root / folder)
            for lost in list(quarantined(log.path)):
                opened.callback(log.close)
                log.lock()
                copy = None if backup is None else EventLog(backup / folder)
                done.append(_repaired(settings, log, lost, copy))
    return done


def _repaired(settings: Settings, log: EventLog, lost: QuarantinedSegment, backup: EventLog | None) -> Repair:
    for source, found in _sources(settings, log, lost, backup):
        new = {position: rows for position, events in found.items() if (rows := _unknown(log, lost, events)).num_rows}
        if new:
            log.put_back(lost, new)
            if source != "store":
                _tell_store(settings, log, lost, new)
        if found:
            lost.path.unlink()
            return Repair(lost, sum(rows.num_rows for rows in new.values()), source if new else "log")
    return Repair(lost, 0, None)


def _sources(
    settings: Settings, log: EventLog, lost: QuarantinedSegment, backup: EventLog | None
) -> Iterator[tuple[str, Batches]]:
    """Where the rows of a segment may be, the best source first, and what it has."""
    yield "itself", _of_log(EventLog(lost.path.parent.parent), lost) if _sound(lost) else {}
    if backup is not None:
        yield "backup", _of_log(backup, lost)
    if log.path.name == LOG and settings.archive.store:
        yield "store", _of_store(settings, lost)


def _sound(lost: QuarantinedSegment) -> bool:
    """Whether a file is as it was written after all: somebody has put a copy there."""
    try:
        check_segment(lost.path)
    except BrokenSegmentError:
        return False
    return True


def _of_log(log: EventLog, lost: QuarantinedSegment) -> Batches:
    known = log.manifest(lost.stream).rows_by_batch(lost.first.before)
    positions = [position for position, _ in known if position <= lost.last]
    found = {position: log.batch_of(lost.stream, position) for position in positions}
    return {position: events for position, events in found.items() if events is not None}


def _of_store(settings: Settings, lost: QuarantinedSegment) -> Batches:
    """What the store has, as if all of it had come with the first batch: it does not know of batches."""
    start, end = (None, None) if lost.facts is None else (lost.facts.first, lost.facts.last + timedelta.resolution)
    with open_read_view(settings) as view:
        shape = view.shapes.get(lost.stream)
        if view.store is None or shape is None:
            return {}
        events = stored_events(view.store, shape, start, end)
    return {lost.first: events} if events.num_rows else {}


def _unknown(log: EventLog, lost: QuarantinedSegment, events: pa.Table) -> pa.Table:
    """Those that the log lacks."""
    if not events.num_rows:
        return events
    times = pc.min_max(events["_time"]).as_py()
    known = log.read(lost.stream, times["min"], times["max"] + timedelta.resolution, ["_id"])
    return exclude_ids(first_of_each_id(events), ids_of(known))


def _tell_store(settings: Settings, log: EventLog, lost: QuarantinedSegment, batches: Batches) -> None:
    """Write to the store what a backup had: it may have passed over these batches as empty ones."""
    root = settings.path(settings.archive.path)
    if not settings.archive.store or (settings.archive.endpoint is None and not (root / STORE).is_dir()):
        return  # the next start builds it from the log
    with open_read_view(settings) as view:
        encode = next(each.encode for each in view.encoded_logs() if each.log.path == log.path)
        texts = [encode(lost.stream, rows) for rows in batches.values()]
    store = store_kind(settings.archive).open(settings.archive, root)
    try:
        for text in texts:
            store.add(text)
    finally:
        store.close()
