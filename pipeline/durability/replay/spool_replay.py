"""The spool after an outage: what an archiver kept while no engine ran comes before what comes live (paper §6.3).

Operators go on from the last snapshot, so a match that spans either border of the outage needs no query of its own: the
missed events are replayed between what was seen and what comes. Whatever is both in the spool and live, or in the log
already, is recognised by its identity.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import polars as pl
import pyarrow as pa

from ....annotator import AnnotatedBatch, exclude_ids, ids_of
from ....archive import Archive
from ....archive.log import Position, earlier_ids
from ....archive.sync import KeptEvents, Spool
from ....planner import ROWS_AT_ONCE
from ....storage import read_mirrored, write_mirrored
from ...flow import Batch, BatchResult, BatchSource, StreamResult, joined, merged

__all__ = ["SpoolReplay"]

_TAKING = "taking.json"
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class SpoolRange:
    """What a batch takes from the spool.

    Attributes:
        upto: by stream, the last position.
        missed: whether no engine ran when it was kept; otherwise an archiver was just quicker than the engine.
    """

    upto: Mapping[str, int]
    missed: bool


class SpoolReplay:
    """A source of batches: brings each batch what its streams missed, and what it brings by itself last.

    Args:
        archive: whose spool is taken; its log tells what is known.
        state: folder in which it is noted what a batch takes, so that it takes the same when it is delivered again.
        patience: how long the first batch waits for an archiver that is behind the live stream.
        say: takes a line of the log.
        rows: how many events of a stream are taken at once, about.
    """

    def __init__(
        self,
        archive: Archive,
        state: Path,
        patience: timedelta,
        say: Callable[[str], None],
        rows: int = ROWS_AT_ONCE,
    ) -> None:
        self._archive, self._note, self._patience, self._say, self._rows = archive, state / _TAKING, patience, say, rows
        self._spool = Spool(archive.path, taker=True)
        self._taken: dict[str, int] = self._spool.taken()
        self._waited = self._over = False

    @property
    def waiting(self) -> bool:
        """Whether there is something that no batch has taken."""
        return bool(self._spool.waiting(self._taken))

    def begin(self) -> None:
        """Wait until an archiver that stands by has noticed that an engine runs, and reads no more."""
        reading = self._spool.reading
        if reading.path.exists() and not reading.acquire(self._patience.total_seconds()):
            self._say(f"recovery: {reading.holder()} reads the streams still; going on beside it")
        reading.release()

    def batches(
        self,
        number: int,
        live: Batch,
        pieces: Callable[[KeptEvents], Iterator[Batch]],
        newest: Callable[[], Mapping[str, datetime]],
        *,
        again: bool,
    ) -> Iterator[Batch]:
        """What was missed, piece by piece, then what comes live; to be taken to the end, each processed in its turn.

        Args:
            number: of the batch.
            live: what it brings by itself.
            pieces: makes batches of what was missed.
            newest: says, by stream, the greatest `_time` of what comes live.
            again: it was begun before, perhaps by another process: it takes what it took then.
        """
        taken = self._taken_again(number) if again else self._take(number, newest)
        source = BatchSource.SPOOL if taken.missed else BatchSource.LIVE
        before, given = self._spool.taken(), list[Batch]()
        for piece in pieces(KeptEvents(self._spool, before, taken.upto, self._rows)):
            given.append(replace(piece, source=source, idle=live.idle, advances={}, number=number))
            yield given[-1]
        self._taken = {**before, **taken.upto}
        yield replace(live, events=self._completed(number, live.events, given)) if again and live.collected else live

    def streams(self, number: int, results: Sequence[BatchResult]) -> Mapping[str, StreamResult]:
        """What a batch brings to the log, of all its pieces; what was missed is told.

        Late events that are known from before are duplicates. Admission forgets what lies below the watermark: there,
        the log remembers.
        """
        found = [result.streams for result in results]
        begun = any(map(_has_events, found[-1].values()))
        self._waited, self._over = self._waited or begun, begun or not self._spool.archiver_runs
        if not self._spool.path.is_dir():
            return merged(found)
        found = self._without_known(number, found)
        self._tell([result.streams for result in results if result.source is BatchSource.SPOOL])
        return merged(found)

    def _take(self, batch: int, newest: Callable[[], Mapping[str, datetime]]) -> SpoolRange:
        """What a batch takes: everything that is there.

        What was missed ends when an archiver has come up to the live stream, or none runs.

        Args:
            batch: its number.
            newest: see `batches`.
        """
        before = self._spool.taken()
        self._wait(newest, before)
        taken = SpoolRange(self._spool.newest(before), missed=not self._over)
        if taken.upto:
            self._keep_note(batch, taken)
        return taken

    def _taken_again(self, batch: int) -> SpoolRange:
        """What a batch took when it was begun."""
        try:
            content: dict[str, Any] = json.loads(read_mirrored(self._note))
        except (FileNotFoundError, ValueError):
            return SpoolRange({}, missed=False)  # what it took is in the intake still, or in the log
        if content["batch"] != batch:
            return SpoolRange({}, missed=False)
        return SpoolRange({s: int(k) for s, k in content["upto"].items()}, missed=content.get("missed", True))

    def _completed(
        self, batch: int, live: Mapping[str, AnnotatedBatch], pieces: Sequence[Batch]
    ) -> Mapping[str, AnnotatedBatch]:
        """A batch that is delivered again, with what the log has of it and the source gives no more.

        Args:
            batch: its number.
            live: what it brings by itself.
            pieces: what it took from the spool.
        """
        found = dict(live)
        for stream, logged in self._archive.log.read_batch(Position(self._archive.log.generation, batch)).items():
            rest = _without(logged, [piece.events[stream].events for piece in pieces if stream in piece.events])
            here = live.get(stream)
            lost = rest if here is None else _without(rest, [here.events])
            if not lost.num_rows:
                continue
            if here is None:
                found[stream] = AnnotatedBatch.of_logged(rest)
            else:
                both = joined([rest, _without(here.events, [rest])])
                found[stream] = replace(here, events=AnnotatedBatch.of_logged(both).events)
        return found

    def _without_known(
        self, batch: int, results: Sequence[Mapping[str, StreamResult]]
    ) -> list[Mapping[str, StreamResult]]:
        found: list[Mapping[str, StreamResult]] = []
        for result in results:
            told = {}
            for stream, of_stream in result.items():
                earlier = [table for done in found if stream in done for table in done[stream].tables]
                told[stream] = self._distinct(stream, batch, of_stream, earlier)
            found.append(told)
        return found

    def _tell(self, missed: Sequence[Mapping[str, StreamResult]]) -> None:
        """Say what was missed, if it was not known already."""
        for stream in sorted({stream for step in missed for stream in step}):
            found = [step[stream] for step in missed if stream in step]
            tallies = [tally for result in found if (tally := result.tally).time is not None]
            if tallies:
                times = [time for result in found if (time := result.first) is not None]
                first = f"{min(times):%FT%TZ} to" if times else "up to"
                last = max(tally.time for tally in tallies if tally.time is not None)
                count = sum(tally.events for tally in tallies)
                self._say(f"recovery: {count:,} events of {stream}, {first} {last:%FT%TZ}, from the intake")

    def settle(self) -> None:
        """Note that what was taken is in the log, and its rows with the sinks."""
        self._spool.settle(self._taken)

    def _distinct(self, stream: str, batch: int, result: StreamResult, earlier: Sequence[pa.Table]) -> StreamResult:
        if not result.late.num_rows:
            return result
        log = self._archive.log
        known = earlier_ids(log, stream, Position(log.generation, batch), result.late["_time"])
        late = _without(exclude_ids(result.late, known), earlier)
        gone = result.late.num_rows - late.num_rows
        return replace(result, late=late, duplicates=result.duplicates + gone)

    def _wait(self, newest: Callable[[], Mapping[str, datetime]], taken: Mapping[str, int]) -> None:
        """Let an archiver come up to the live stream, once: what it has in hand lies before what comes live.

        One that stands by has nothing in hand: `begin` has waited for it.
        """
        if self._waited or self._spool.reading.path.exists() or not self._spool.archiver_runs:
            return
        if not (last := newest()):
            return
        self._waited = True
        deadline = monotonic() + self._patience.total_seconds()
        while behind := self._behind(last, taken):
            if not self._spool.archiver_runs:
                return
            if monotonic() > deadline:
                gaps = ", ".join(f"{stream} by {gap}" for stream, gap in behind.items())
                self._say(f"recovery: the archiver is behind the live stream ({gaps}); going on without it")
                return
            sleep(_POLL_S)

    def _behind(self, last: Mapping[str, datetime], taken: Mapping[str, int]) -> dict[str, timedelta]:
        """By stream, how far the archive is behind the live stream; those left out where it is not."""
        found = {}
        for stream, moment in last.items():
            marks = [self._spool.mark(stream, taken), (self._archive.log.time_range(stream) or (None, None))[1]]
            mark = max((m for m in marks if m is not None), default=None)
            if mark is not None and mark < moment:
                found[stream] = moment - mark
        return found

    def _keep_note(self, batch: int, taken: SpoolRange) -> None:
        content = {"batch": batch, "upto": dict(taken.upto), "missed": taken.missed}
        write_mirrored(self._note, json.dumps(content).encode())


def _has_events(stream: StreamResult) -> bool:
    tally = stream.tally
    return tally.events + tally.late + tally.duplicates > 0


def _without(events: pa.Table, others: Sequence[pa.Table]) -> pa.Table:
    """The events whose identity none of the others has."""
    return exclude_ids(events, pl.concat([pl.Series(dtype=pl.String), *map(ids_of, others)]))
