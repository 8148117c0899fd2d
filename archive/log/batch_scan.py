"""A scan of the log by batch: each file is read once, however many batches it holds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from heapq import merge
from itertools import groupby

import pyarrow as pa

from .batch_index import Position
from .log_reader import LogReader
from .manifest import Manifest, Segment, read_consistently

__all__ = ["scan_batches"]

_ROWS, _BATCHES = 65_536, 4_096
"""About so many events, and batches, of a stream are in memory."""


def scan_batches(
    log: LogReader, after: Position | None = None, upto: Position | None = None
) -> Iterator[tuple[Position, dict[str, pa.Table]]]:
    """Read the batches behind `after` and not behind `upto`, ascending: of each its events by stream, as appended.

    What is appended after the first is taken may be left out. Compaction may go on meanwhile.

    Args:
        log: read only here.
        after: a position; `None`: from the first batch.
        upto: a position; `None`: to the last one.

    Raises:
        ArchiveError: a segment is broken.
    """
    last = log.last if upto is None else upto
    if last is None:
        return
    streams = [_of_stream(log, stream, after, last) for stream in log.streams()]
    for position, found in groupby(merge(*streams, key=lambda entry: entry[:2]), key=lambda entry: entry[0]):
        yield position, {stream: events for _, stream, events in found}


def _of_stream(
    log: LogReader, stream: str, after: Position | None, upto: Position
) -> Iterator[tuple[Position, str, pa.Table]]:
    while found := read_consistently(partial(_next, log.manifest(stream), after, upto)):
        yield from ((position, stream, events) for position, events in found)
        after = found[-1][0]


def _next(manifest: Manifest, after: Position | None, upto: Position) -> list[tuple[Position, pa.Table]]:
    """The next batches of a stream; none: there are no more."""
    found: list[tuple[Position, pa.Table]] = []
    rows = 0
    for one in manifest.behind(after):
        if one.first > upto or rows >= _ROWS or len(found) >= _BATCHES:
            break
        if one.single:
            part, whole = [(one.first, manifest.read(one.path))], True
        else:
            part, whole = _part(manifest, one, after, upto)
        found += part
        rows += sum(events.num_rows for _, events in part)
        if not whole:
            break
    return found


def _part(
    manifest: Manifest, one: Segment, after: Position | None, upto: Position
) -> tuple[list[tuple[Position, pa.Table]], bool]:
    """The next batches of a segment of several, and whether they are the last of it."""
    index = manifest.batches(one)
    wanted = index.between(after, upto)
    if not wanted:
        return [], True
    taken = index.first(wanted[:_BATCHES], _ROWS)
    held = index.rows(taken)
    events = manifest.read(one.path, rows=held)
    parts = [(batch, index.rows(range(batch, batch + 1))) for batch in taken]
    found = [(index.position(batch), events.slice(rows.start - held.start, len(rows))) for batch, rows in parts]
    return found, taken.stop == wanted.stop
