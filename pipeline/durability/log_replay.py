"""The batches of the archive's log as they were taken: their events, what judged them, where silence moved to."""

from __future__ import annotations

from collections.abc import Iterator

from ...archive import Archive
from ..flow import Past
from ..knowledge import KnowledgeVersions

__all__ = ["logged"]


def logged(
    archive: Archive | None, history: KnowledgeVersions, last: int, after: int = 0
) -> Iterator[tuple[int, Past]]:
    """The batches behind `after` up to `last` with their numbers, in order; none without an archive."""
    if archive is None:
        return
    log, advances = archive.log, archive.idle_watermarks
    for position in sorted({*log.positions(), *advances.positions()}):
        if after < position.batch <= last:
            then = history.at(position.batch)
            events, moved = log.read_batch(position), advances.read(position)
            yield position.batch, Past(events, then.annotators, then.knowledge, moved)
