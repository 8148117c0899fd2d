"""The log as a source of batches: their events, what judged them, where the watermarks of idle streams were moved."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from heapq import merge
from itertools import groupby
from operator import itemgetter

import pyarrow as pa

from ....annotator import AnnotatedBatch
from ....archive import Archive
from ....archive.log import Position, scan_batches
from ...flow import Batch, BatchSource
from ...knowledge import KnowledgeVersions

__all__ = ["logged_batches"]


def logged_batches(
    archive: Archive | None, versions: KnowledgeVersions, last: int, after: int = 0
) -> Iterator[tuple[int, Batch]]:
    """The batches behind `after` up to `last` with their numbers, in order; none without an archive."""
    if archive is None:
        return
    generation = archive.log.generation
    span = Position(generation, after) if after else None, Position(generation, last)
    events = ((position, 0, tables) for position, tables in scan_batches(archive.log, *span))
    advances = ((position, 1, moved) for position, moved in archive.idle_watermarks.scan(*span))
    for position, found in groupby(merge(events, advances, key=itemgetter(0, 1)), key=itemgetter(0)):
        parts = {kind: content for _, kind, content in found}
        yield position.batch, _batch(parts.get(0, {}), parts.get(1, {}), versions, position.batch)


def _batch(
    tables: dict[str, pa.Table], advances: dict[str, datetime], versions: KnowledgeVersions, number: int
) -> Batch:
    events = {stream: AnnotatedBatch.of_events(table) for stream, table in tables.items()}
    return Batch(events, BatchSource.LOG, versions.at(number).judgement, advances=advances)
