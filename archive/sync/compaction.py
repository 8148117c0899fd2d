"""Compaction: small log segments become large ones, while others append and read.

The new segment is durable before the old ones go, and until they are gone they count for nothing: its name says which
batches it holds. Killed at any moment, the log holds every event once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import pyarrow as pa

from ...config import Settings
from ...errors import ArchiveError
from ..folder_layout import LOG, MATCHES, STORE, ArchivePlace
from ..log import (
    EventLog,
    Manifest,
    Position,
    Segment,
    SegmentFacts,
    batches_of,
    read_consistently,
    segment_name,
    write_compacted,
)
from ..store import OxigraphStore


@dataclass(frozen=True, slots=True)
class CompactionPolicy:
    """When segments are put together.

    Attributes:
        files: so many small ones beside each other are worth it.
        rows: no segment gets more events.
        size: nor more bytes, about.
        span: nor a longer time range.
        batches: nor more batches: which they are is in its footer, and in memory where one of them is looked for.
    """

    files: int = 16
    rows: int = 500_000
    batches: int = 65_536
    size: float = float("inf")
    span: timedelta = timedelta.max


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """What a compaction did: so many segments became so many."""

    before: int = 0
    after: int = 0

    def __add__(self, other: CompactionResult) -> CompactionResult:
        return CompactionResult(self.before + other.before, self.after + other.after)


def compact(log: EventLog, rules: CompactionPolicy, go_on: Callable[[], bool] = lambda: True) -> CompactionResult:
    """Put segments together until the rules ask for no more; the newest batch is left as it is.

    Args:
        log: whose lock is held.
        rules: when it is worth it.
        go_on: asked before each new segment.

    Raises:
        ArchiveError: a segment cannot be read, or the file system refuses; what is there stays as it is. Streams where
            that is not so are put together.
    """
    done, faults = CompactionResult(), []
    for stream in log.streams():
        try:
            while go_on():
                with log.settling:
                    found = read_consistently(partial(_put_next_together, log.manifest(stream), log.newest, rules))
                if found == CompactionResult():
                    break
                done += found
        except ArchiveError as error:
            faults.append(error)  # of one stream: the others are not in its way
    if faults:
        raise faults[0]
    return done


def compact_archive(settings: Settings) -> CompactionResult:
    """Put together what there is, of an archive that nobody writes, and let its store give back the space it can.

    Raises:
        ArchiveError: there is no archive, another process writes it, or it is broken.
    """
    place = ArchivePlace.of(settings)
    place.require()
    path = place.root
    log, matches = (EventLog(place.log(name), locks=place.locks(name)) for name in (LOG, MATCHES))
    log.lock()
    try:
        done = compact(log, CompactionPolicy(files=2))
        if matches.path.is_dir():
            matches.lock()
            done += compact(matches, CompactionPolicy(files=2))
        if (path / STORE).is_dir():
            store = OxigraphStore(path / STORE, settings.archive.bucket)
            try:
                store.reclaim()
            finally:
                store.close()
        return done
    finally:
        matches.close()
        log.close()


def _put_next_together(manifest: Manifest, newest: Position | None, rules: CompactionPolicy) -> CompactionResult:
    """Put one group together, if there is one."""
    group = _next_group(manifest, newest, rules)
    if group is None:
        return CompactionResult()
    batches = dict(batch for one in group for batch in batches_of(manifest, one))
    write_compacted(manifest.folder / segment_name(group[0].first, group[-1].last), batches)
    for one in group:
        one.path.unlink(missing_ok=True)
    return CompactionResult(len(group), 1)


def _next_group(manifest: Manifest, newest: Position | None, rules: CompactionPolicy) -> list[Segment] | None:
    """Find segments beside each other that are worth to be put together."""
    settled = [one for one in manifest.segments() if newest is not None and one.last < newest]
    for group in _groups(manifest, settled, rules):
        balanced = _balanced(manifest, group)
        if len(balanced) >= max(2, rules.files):
            return balanced
    return None


def _groups(manifest: Manifest, segments: Sequence[Segment], rules: CompactionPolicy) -> Iterator[list[Segment]]:
    """Cut the segments where together they would be too large, or their columns' types do not go together."""
    group = _Group(rules)
    for one in segments:
        if not group.take(manifest, one):
            yield group.segments
            group = _Group(rules)
            group.take(manifest, one)
    yield group.segments


class _Group:
    """Segments beside each other, as many as one new segment may hold."""

    def __init__(self, rules: CompactionPolicy) -> None:
        self.segments: list[Segment] = []
        self._rules = rules
        self._rows = self._size = self._batches = 0
        self._times: tuple[datetime, datetime] | None = None
        self._types: dict[str, pa.DataType] = {}
        self._schema: pa.Schema | None = None

    def take(self, manifest: Manifest, one: Segment) -> bool:
        """Take one more; tell whether it fits. The first always does."""
        facts, batches = manifest.facts(one.path), _most_batches(one)
        first, last = self._times or (facts.first, facts.last)
        times = min(first, facts.first), max(last, facts.last)
        rows, size, count = self._rows + facts.rows, self._size + facts.size, self._batches + batches
        small = rows <= self._rules.rows and size <= self._rules.size and count <= self._rules.batches
        fits = small and times[1] - times[0] <= self._rules.span
        if self.segments and not (fits and self._takes(facts)):
            return False
        self.segments.append(one)
        self._rows, self._size, self._batches, self._times, self._schema = rows, size, count, times, facts.schema
        self._types |= {field.name: field.type for field in facts.schema or ()}
        return True

    def _takes(self, facts: SegmentFacts) -> bool:
        """Whether the types of its columns go with those of the others."""
        if facts.schema is self._schema:
            return True
        return all(self._types.get(field.name, field.type) == field.type for field in facts.schema or ())


def _most_batches(one: Segment) -> int:
    """How many batches a segment has at the most, as its name says."""
    return one.last.batch - one.first.batch + 1 if one.first.generation == one.last.generation else 1


def _balanced(manifest: Manifest, group: Sequence[Segment]) -> list[Segment]:
    """Leave the first out while it is larger than all others together: an event is rewritten a few times only."""
    rows = [manifest.facts(one.path).rows for one in group]
    first, rest = 0, sum(rows[1:])
    while first + 1 < len(group) and rows[first] > rest:
        first += 1
        rest -= rows[first]
    return list(group[first:])
