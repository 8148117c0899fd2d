"""Which segments a stream's folder holds, and which batches lie where in them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from errno import ENOENT
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from ...errors import ArchiveError, Place
from .segment import (
    BrokenSegmentError,
    Position,
    SegmentFacts,
    batch_range,
    check_segment,
    first_batch,
    read_segment,
    segment_facts,
    segment_name,
)

T = TypeVar("T")
SetAside = Callable[[Path, BrokenSegmentError], None]

_SETTLED_NS = 100_000_000
"""A folder's time stamp is coarse: a listing made so soon after a change may lack the next one."""
_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Segment:
    """A file of the log: the events of the batches from `first` to `last`."""

    first: Position
    last: Position
    path: Path

    @property
    def single(self) -> bool:
        """Whether the file is one batch as it was appended, and not several that were put together."""
        return self.path.name == segment_name(self.first)


@dataclass(frozen=True, slots=True)
class SegmentSlice:
    """Rows of a segment: those of batches that lie beside each other. `rows` is `None` for all of them."""

    path: Path
    facts: SegmentFacts
    rows: range | None = None

    @property
    def first(self) -> Position:
        """The first batch of the segment."""
        return first_batch(self.path)


class Manifest:
    """The segments of one stream, as they are now; nothing is kept that could be out of date.

    Args:
        folder: of the stream.
        set_aside: takes a broken segment out of the folder; `None`: it stays, and is an error.
    """

    def __init__(self, folder: Path, set_aside: SetAside | None = None) -> None:
        self.folder = folder
        self._set_aside = set_aside
        self._listing: tuple[int, list[Segment]] | None = None
        self._facts: dict[Path, tuple[int, SegmentFacts]] = {}

    def segments(self) -> list[Segment]:
        """List the segments in order of arrival; one whose batches a longer one holds as well is left out."""
        return list(self._whole())

    def leftovers(self) -> dict[Segment, list[Segment]]:
        """The segments whose batches a longer one holds as well, by that: a compaction was killed before it ended."""
        return {whole: parts for whole, parts in self._whole().items() if parts}

    def facts(self, path: Path) -> SegmentFacts:
        """Return what the footer of a segment says, read once per version of the file.

        Raises:
            FileNotFoundError: it is gone; list the segments again.
        """
        version = path.stat().st_mtime_ns
        known = self._facts.get(path)
        if known is None or known[0] != version:
            known = self._facts[path] = (version, self._sound(path, lambda: segment_facts(path)))
        return known[1]

    def read(
        self,
        path: Path,
        start: datetime | None = None,
        end: datetime | None = None,
        columns: frozenset[str] | None = None,
        rows: range | None = None,
    ) -> pa.Table:
        """As `read_segment`; a broken one that is set aside is gone."""
        return self._sound(path, lambda: read_segment(path, start, end, columns, rows))

    def check(self, path: Path) -> None:
        """As `check_segment`; a broken one that is set aside is gone."""
        self._sound(path, lambda: check_segment(path))

    def _sound(self, path: Path, read: Callable[[], T]) -> T:
        try:
            return read()
        except BrokenSegmentError as error:
            if self._set_aside is None:
                raise
            self._set_aside(path, error)
            raise _SetAsideError(ENOENT, "set aside", str(path)) from error

    def slices(self, after: Position | None, upto: Position | None) -> list[SegmentSlice]:
        """Find the events of the batches behind `after` and not behind `upto`, in order of arrival."""
        found = []
        for one in self.segments():
            if (after is not None and one.last <= after) or (upto is not None and one.first > upto):
                continue
            facts = self.facts(one.path)
            whole = (after is None or one.first > after) and (upto is None or one.last <= upto)
            part = SegmentSlice(one.path, facts) if whole else _cut(one.path, facts, after, upto)
            if part is not None:
                found.append(part)
        return found

    def slice_of(self, position: Position) -> SegmentSlice | None:
        """Find the events of one batch."""
        single = self.folder / segment_name(position)
        if single.exists():
            return SegmentSlice(single, self.facts(single))
        holder = self.holder(position)
        if holder is None:
            return None
        facts = self.facts(holder.path)
        return SegmentSlice(holder.path, facts) if holder.single else _cut(holder.path, facts, None, position, position)

    def holder(self, position: Position) -> Segment | None:
        """Find the segment that holds a batch, or would hold it if it had events."""
        return next((one for one in self.segments() if one.first <= position <= one.last), None)

    def positions(self) -> list[Position]:
        """List the batches, ascending."""
        return [p for one in self.segments() for p in ([one.first] if one.single else self._batches(one))]

    def _batches(self, one: Segment) -> list[Position]:
        return [batch.position for batch in self.facts(one.path).batches]

    def _whole(self) -> dict[Segment, list[Segment]]:
        """The segments that no longer one covers, in order of arrival, each with those that it covers."""
        found: dict[Segment, list[Segment]] = {}
        longest: Segment | None = None
        for one in self._listed():
            if longest is not None and one.last <= longest.last:
                found[longest].append(one)
            else:
                found[one] = []
                longest = one
        return found

    def _listed(self) -> list[Segment]:
        try:
            changed = self.folder.stat().st_mtime_ns
        except FileNotFoundError:
            return []
        if self._listing is not None and self._listing[0] == changed:
            return self._listing[1]
        now = time.time_ns()
        ranges = ((batch_range(path), path) for path in self.folder.iterdir())
        listed = [Segment(*found, path) for found, path in ranges if found is not None]
        listed.sort(key=lambda one: (one.first, (-one.last.generation, -one.last.batch)))
        self._listing = (changed, listed) if now - changed > _SETTLED_NS else None
        return listed


class _SetAsideError(FileNotFoundError):
    """A segment was broken, and is gone now."""


def read_consistently(read: Callable[[], T]) -> T:
    """Read from the log; again, when a compaction or retention takes files away meanwhile, or puts broken ones aside.

    Raises:
        ArchiveError: they go faster than they can be read.
    """
    attempts = _ATTEMPTS
    while attempts:
        try:
            return read()
        except _SetAsideError:
            continue  # there is one less each time
        except FileNotFoundError as error:
            gone, attempts = str(error.filename), attempts - 1
    raise ArchiveError("a log segment is gone", place=Place(gone), hint="try again; something takes segments away")


def _cut(
    path: Path, facts: SegmentFacts, after: Position | None, upto: Position | None, only: Position | None = None
) -> SegmentSlice | None:
    """The rows of some of a segment's batches."""
    start, rows, wanted = 0, 0, []
    for batch in facts.batches:
        if upto is not None and batch.position > upto:
            break
        if (after is not None and batch.position <= after) or (only is not None and batch.position != only):
            start += batch.rows
        else:
            wanted.append(batch)
            rows += batch.rows
    if not wanted:
        return None
    first, last = min(b.first for b in wanted), max(b.last for b in wanted)
    return SegmentSlice(path, SegmentFacts(rows, first, last), range(start, start + rows))
