"""Quarantine: broken segments, set aside so that the log goes on without them (docs/decisions/166).

They lie in `quarantine/<log>/<stream>/` of the archive's folder under their own names, until `kaicep repair` has their
events from somewhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import ArchiveError
from ...storage import StoragePath, fsync, make_folder, name_of_folder, rename, sorted_files
from ..folder_layout import QUARANTINE
from .batch_index import Position
from .segment import SegmentFacts, batch_range, segment_facts

__all__ = ["QuarantinedSegment", "quarantine", "quarantined"]


@dataclass(frozen=True, slots=True)
class QuarantinedSegment:
    """A segment that was set aside.

    Attributes:
        stream: or query.
        first: its first batch.
        last: its last one.
        path: where it is.
        home: where it was.
        facts: what its footer says, where that is sound.
    """

    stream: str
    first: Position
    last: Position
    path: StoragePath
    home: StoragePath
    facts: SegmentFacts | None

    def __str__(self) -> str:
        batches = f"batch {self.first}" if self.first == self.last else f"the batches {self.first} to {self.last}"
        if self.facts is None:
            return f"{batches} of {self.stream}"
        times = f"{self.facts.first:%FT%TZ} to {self.facts.last:%FT%TZ}"
        return f"{batches} of {self.stream} ({self.facts.rows:,} rows, {times})"


def quarantine(log: StoragePath, segment: StoragePath) -> QuarantinedSegment:
    """Set a segment of a log aside.

    Raises:
        FileNotFoundError: somebody else has.
        OSError: the file system refuses.
    """
    target = _folder(log) / segment.parent.name / segment.name
    make_folder(target.parent)
    rename(segment, target)
    for folder in (target.parent, segment.parent):
        fsync(folder)
    return _described(target, segment)


def quarantined(log: StoragePath) -> Iterator[QuarantinedSegment]:
    """The segments of a log that were set aside and that no file of their name has replaced since."""
    for path in sorted_files(_folder(log), "*/*.parquet"):
        home = log / path.parent.name / path.name
        if batch_range(path) is not None and not home.exists():
            yield _described(path, home)


def _folder(log: StoragePath) -> StoragePath:
    return log.parent / QUARANTINE / log.name


def _described(path: StoragePath, home: StoragePath) -> QuarantinedSegment:
    found = batch_range(path)
    if found is None:
        raise ValueError(path)
    try:
        facts = segment_facts(path)
    except ArchiveError:
        facts = None
    return QuarantinedSegment(name_of_folder(path.parent.name), *found, path, home, facts)
