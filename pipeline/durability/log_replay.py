"""The log as a source of batches: their events, what judged them, where the watermarks of idle streams were moved."""

from __future__ import annotations

from collections.abc import Iterator

from ...annotator import AnnotatedBatch
from ...archive import Archive
from ..flow import Batch, BatchSource
from ..knowledge import KnowledgeVersions

__all__ = ["logged_batches"]


def logged_batches(
    archive: Archive | None, versions: KnowledgeVersions, last: int, after: int = 0
) -> Iterator[tuple[int, Batch]]:
    """The batches behind `after` up to `last` with their numbers, in order; none without an archive."""
    if archive is None:
        return
    log, advances = archive.log, archive.idle_watermarks
    for position in sorted({*log.positions(), *advances.positions()}):
        if after < position.batch <= last:
            judged_by = versions.at(position.batch).judgement
            events = {stream: AnnotatedBatch.of_events(table) for stream, table in log.read_batch(position).items()}
            advanced = advances.read(position)
            yield position.batch, Batch(events, BatchSource.LOG, judged_by, advances=advanced)
