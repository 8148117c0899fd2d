"""Retention: what is too old or too much goes, by whole segments of the log and whole graphs of the store.

Age is event time, counted back from the newest event; one that is ahead of the clock ages nothing before its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from ..log import EventLog, Position, Segment, read_consistently
from ..store import WritableStore, bucket_start

_NEVER = timedelta.max


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How much is retained: `age` of event time, `size` in bytes; `timedelta.max` and `None` are no limit."""

    age: timedelta = _NEVER
    size: int | None = None

    @property
    def none(self) -> bool:
        """Whether everything is kept."""
        return self.age == _NEVER and self.size is None


@dataclass(frozen=True, slots=True)
class _Aged:
    segment: Segment
    last: datetime
    size: int


def drop_segments(logs: Sequence[tuple[EventLog, Position | None]], limits: RetentionPolicy, now: datetime) -> int:
    """Delete the segments of an archive's logs that are beyond its limits, the oldest first of all; count them.

    Kept in any case: the newest batch, what somebody needs still, and everything while somebody reads the past.

    Args:
        logs: each with the last batch that nobody needs any more (`None`: all are needed), that of events first, by
            whose newest event age is counted; the archive's locks are held.
        limits: of the logs together.
        now: wall clock.
    """
    if limits.none:
        return 0
    with ExitStack() as held:
        for log, _ in logs:
            held.enter_context(log.settling)
        if any(log.readers for log, _ in logs):
            return 0
        by_log = [(log, settled, read_consistently(partial(_segments, log))) for log, settled in logs]
        kept = sorted((one for *_, segments in by_log for one in segments), key=lambda one: one.last)
        free = sorted((one for entry in by_log for one in _free(*entry)), key=lambda one: one.last)
        newest = max((one.last for one in by_log[0][2]), default=now)
        gone = _too_old(free, min(newest, now), limits.age)
        rest = sum(one.size for one in kept) - sum(one.size for one in gone)
        for one in free[len(gone) :]:
            if limits.size is None or rest <= limits.size:
                break
            gone.append(one)
            rest -= one.size
        for one in gone:
            one.segment.path.unlink()
    return len(gone)


def drop_graphs(store: WritableStore, limits: RetentionPolicy, now: datetime, *, read: bool) -> int:
    """Drop the graphs of a store that are beyond its limits; count them.

    From when on the store holds events is said durably one call before the graphs go: whoever plans with what it says
    has until then to begin.

    Args:
        store: open.
        limits: of the store.
        now: wall clock.
        read: somebody reads the past; nothing is dropped then.
    """
    if limits.none:
        return 0
    dropped = 0 if read or store.since is None else store.drop_before(store.since)
    if dropped and limits.size is not None:
        store.reclaim()
    since = _since(store, limits, now)
    if since is not None and (store.since is None or since > store.since):
        store.announce(since)
    return dropped


def _segments(log: EventLog) -> list[_Aged]:
    manifests = map(log.manifest, log.streams())
    found = ((one, manifest.facts(one.path)) for manifest in manifests for one in manifest.segments())
    return [_Aged(one, facts.last, facts.size) for one, facts in found]


def _free(log: EventLog, settled: Position | None, segments: Sequence[_Aged]) -> list[_Aged]:
    """The segments of a log that nobody needs."""
    if settled is None or log.newest is None:
        return []
    return [one for one in segments if one.segment.last < log.newest and one.segment.last <= settled]


def _too_old(free: Sequence[_Aged], newest: datetime, age: timedelta) -> list[_Aged]:
    """The first of `free`, which ascend by time, as far as they are too old."""
    return [] if age == _NEVER else [one for one in free if newest - one.last > age]


def _since(store: WritableStore, limits: RetentionPolicy, now: datetime) -> datetime | None:
    """The start of the first bucket that is kept; the newest one always is."""
    starts = sorted({start for name in store.buckets() if (start := bucket_start(name)) is not None})
    if not starts:
        return None
    first = 0
    if limits.age != _NEVER:
        newest = min(starts[-1] + store.bucket, now)
        first = sum(newest - (start + store.bucket) >= limits.age for start in starts)
    if limits.size is not None and (size := store.size()) is not None and size > limits.size:
        first = max(first, -int(-len(starts) * (1 - 0.9 * limits.size / size) // 1))
    return starts[min(first, len(starts) - 1)]
