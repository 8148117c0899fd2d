"""Which segments a stream's folder holds, and which batches lie where in them."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from errno import ENOENT
from functools import lru_cache, partial
from typing import TypeVar

import pyarrow as pa

from ...errors import ArchiveError, Place
from ...storage import BucketPath, StoragePath
from .batch_index import BatchIndex, Position
from .segment import (
    BrokenSegmentError,
    SegmentFacts,
    UnreadableSegmentError,
    batch_range,
    check_segment,
    first_batch,
    read_segment,
    segment_batches,
    segment_facts,
    segment_name,
)

T = TypeVar("T")
_Version = tuple[int, int] | str
SetAside = Callable[[StoragePath, BrokenSegmentError], None]

_AT_ONCE = 16
"""So many footers are read at once of a log in a bucket."""
_SETTLED_NS = 100_000_000
"""A folder's time stamp is coarse: a listing made so soon after a change may lack the next one."""
_ATTEMPTS = 20
_BATCHES = 4_096
"""So many batches, about, are looked up at once."""
_INDEXES = 8
"""So many segments' batches are in memory, of all streams: readers go from one segment to the next."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A file of the log: the events of the batches from `first` to `last`."""

    first: Position
    last: Position
    path: StoragePath

    @property
    def single(self) -> bool:
        """Whether the file is one batch as it was appended, and not several that were put together."""
        return self.path.name == segment_name(self.first)


@dataclass(frozen=True, slots=True)
class SegmentSlice:
    """Rows of a segment: those of batches that lie beside each other. `rows` is `None` for all of them."""

    path: StoragePath
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

    def __init__(self, folder: StoragePath, set_aside: SetAside | None = None) -> None:
        self.folder = folder
        self._set_aside = set_aside
        self._listing: tuple[int, _Listing] | None = None
        self._facts: dict[StoragePath, tuple[_Version, SegmentFacts]] = {}
        self._schemas: dict[pa.Schema, pa.Schema] = {}

    def segments(self) -> Sequence[Segment]:
        """List the segments in order of arrival; one whose batches a longer one holds as well is left out."""
        return self._listed().segments

    def leftovers(self) -> Mapping[Segment, Sequence[Segment]]:
        """The segments whose batches a longer one holds as well, by that: a compaction was killed before it ended."""
        return self._listed().leftovers

    def behind(self, after: Position | None) -> Sequence[Segment]:
        """List the segments that hold batches behind a position, in order of arrival."""
        found = self.segments()
        return found if after is None else found[bisect_right(found, after, key=_last) :]

    def facts(self, path: StoragePath) -> SegmentFacts:
        """Return what the footer of a segment says, read once per version of the file.

        Raises:
            FileNotFoundError: it is gone; list the segments again.
        """
        version = _version(path)
        known = self._facts.get(path)
        if known is None or known[0] != version:
            facts = self._sound(path, lambda: segment_facts(path))
            if facts.schema is not None:
                facts = replace(facts, schema=self._schemas.setdefault(facts.schema, facts.schema))
            known = self._facts[path] = (version, facts)
        return known[1]

    def _read_ahead(self, segments: Sequence[Segment]) -> None:
        """Read the footers of segments in a bucket many at a time, since each answer takes its time."""
        if not isinstance(self.folder, BucketPath):
            return
        known = {path: found[0] for path, found in self._facts.items()}
        unknown = [one.path for one in segments if known.get(one.path) != _version(one.path)]
        if len(unknown) > 1:
            with ThreadPoolExecutor(min(_AT_ONCE, len(unknown))) as pool:
                list(pool.map(self.facts, unknown))

    def batches(self, one: Segment) -> BatchIndex:
        """Return which batches a segment of several holds.

        Raises:
            FileNotFoundError: it is gone; list the segments again.
        """
        return self._sound(one.path, lambda: _batches(one.path, _version(one.path)))

    def read(
        self,
        path: StoragePath,
        start: datetime | None = None,
        end: datetime | None = None,
        columns: frozenset[str] | None = None,
        rows: range | None = None,
    ) -> pa.Table:
        """As `read_segment`; a broken one that is set aside is gone."""
        return self._sound(path, lambda: read_segment(path, start, end, columns, rows))

    def check(self, path: StoragePath) -> None:
        """As `check_segment`; a broken one that is set aside is gone."""
        self._sound(path, lambda: check_segment(path))

    def _sound(self, path: StoragePath, read: Callable[[], T]) -> T:
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
        behind = self.behind(after)
        self._read_ahead(behind if upto is None else behind[: bisect_right(behind, upto, key=_first)])
        for one in behind:
            if upto is not None and one.first > upto:
                break
            whole = (after is None or one.first > after) and (upto is None or one.last <= upto)
            part = SegmentSlice(one.path, self.facts(one.path)) if whole else self._cut(one, after, upto)
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
        return SegmentSlice(holder.path, facts) if holder.single else self._cut(holder, position.before, position)

    def holder(self, position: Position) -> Segment | None:
        """Find the segment that holds a batch, or would hold it if it had events."""
        segments = self.segments()
        i = bisect_left(segments, position, key=_last)
        return segments[i] if i < len(segments) and segments[i].first <= position else None

    def rows_by_batch(self, after: Position | None = None) -> Iterator[tuple[Position, int]]:
        """Each batch behind a position, ascending, and its number of events; compaction may go on meanwhile."""
        while found := read_consistently(partial(self._rows_behind, after)):
            yield from found
            after = found[-1][0]

    def _rows_behind(self, after: Position | None) -> list[tuple[Position, int]]:
        """The next batches behind a position; none: there are no more."""
        found: list[tuple[Position, int]] = []
        behind = self.behind(after)
        self._read_ahead(behind[:_BATCHES])
        for one in behind:
            if one.single:
                found.append((one.first, self.facts(one.path).rows))
            else:
                index = self.batches(one)
                found += ((index.position(i), index.count(i)) for i in index.between(after, None))
            if len(found) >= _BATCHES:
                break
        return found

    def _cut(self, one: Segment, after: Position | None, upto: Position | None) -> SegmentSlice | None:
        """The rows of some of a segment's batches."""
        index = self.batches(one)
        wanted = index.between(after, upto)
        return SegmentSlice(one.path, SegmentFacts(*index.facts(wanted)), index.rows(wanted)) if wanted else None

    def _listed(self) -> _Listing:
        changed, settled = _changed(self.folder)
        if changed is not None and self._listing is not None and self._listing[0] == changed:
            return self._listing[1]
        ranges = ((batch_range(path), path) for path in _entries(self.folder))
        found = [Segment(*batches, path) for batches, path in ranges if batches is not None]
        found.sort(key=lambda one: (one.first, (-one.last.generation, -one.last.batch)))
        listed = _listing(found)
        # What is known of files that were put together, or dropped, goes with them.
        self._facts = {one.path: self._facts[one.path] for one in found if one.path in self._facts}
        self._listing = (changed, listed) if changed is not None and settled else None
        return listed


class _SetAsideError(FileNotFoundError):
    """A segment was broken, and is gone now."""


def read_consistently(read: Callable[[], T]) -> T:
    """Read from the log; again, when a compaction or retention takes files away meanwhile, or puts broken ones aside.

    Raises:
        ArchiveError: they go faster than they can be read, or the storage does not answer.
    """
    attempts = _ATTEMPTS
    while attempts:
        try:
            return read()
        except _SetAsideError:
            continue  # there is one less each time
        except FileNotFoundError as error:
            gone, attempts = str(error.filename), attempts - 1
        except OSError as error:
            raise UnreadableSegmentError(
                f"the log cannot be read: {error.strerror or error}",
                place=Place(str(error.filename)),
                hint="see to its storage; it is left as it is, and read again",
            ) from error
    raise ArchiveError("a log segment is gone", place=Place(gone), hint="try again; something takes segments away")


@dataclass(frozen=True, slots=True)
class _Listing:
    """The segments that no longer one covers, in order of arrival, and those that are covered, by that."""

    segments: Sequence[Segment]
    leftovers: Mapping[Segment, Sequence[Segment]]


def _listing(found: Sequence[Segment]) -> _Listing:
    """Tell segments apart, which ascend, of two that begin together the longer one first."""
    segments: list[Segment] = []
    leftovers: dict[Segment, list[Segment]] = {}
    for one in found:
        if segments and one.last <= segments[-1].last:
            leftovers.setdefault(segments[-1], []).append(one)
        else:
            segments.append(one)
    return _Listing(segments, leftovers)


@lru_cache(_INDEXES)
def _batches(path: StoragePath, version: _Version) -> BatchIndex:  # noqa: ARG001 - it tells files of one name apart
    return segment_batches(path)


def _version(path: StoragePath) -> _Version:
    """What tells files of one name apart."""
    if isinstance(path, BucketPath):
        return path.stat().tag
    known = path.stat()
    return known.st_mtime_ns, known.st_size


def _changed(folder: StoragePath) -> tuple[int | None, bool]:
    """What tells states of a folder apart, `None` where nobody knows, and whether it may be taken for certain."""
    if isinstance(folder, BucketPath):
        return folder.changed, True
    now = time.time_ns()
    try:
        changed = folder.stat().st_mtime_ns
    except FileNotFoundError:
        return None, False
    return changed, now - changed > _SETTLED_NS


def _entries(folder: StoragePath) -> Iterator[StoragePath]:
    try:
        yield from folder.iterdir()
    except FileNotFoundError:
        return


def _first(one: Segment) -> Position:
    return one.first


def _last(one: Segment) -> Position:
    return one.last
