"""The spool: what an archiver has written of the streams, and the engine has not taken into its log yet.

It is a log of its own in the archive's folder, so that two processes may write at any moment: the archiver the spool,
the engine its log and store. The engine takes its events as if they had come live, so each is judged, ordered and
logged by one process only; one that is in both, or comes twice, is recognised by its identity.

- `intake/<stream>/…`: segments as in the log; `intake/.lock` is held by the archiver
- `intake/reading.lock` is held by an archiver that stands by while an engine runs, as long as it reads
- `intake/taken.json`: by stream, the last position that the engine has taken; what is not behind it may go
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

import pyarrow as pa

from ...errors import ArchiveError, Place
from ...storage import ProcessLock, read_mirrored, write_mirrored
from ..folder_layout import LOCK, SPOOL, TAKEN, prepare
from ..log import EventLog, Position, Segment, SegmentSlice, read_consistently
from .compaction import CompactionPolicy, compact

__all__ = ["KeptEvents", "Spool", "Taken"]

Taken = Mapping[str, int]
"""By stream, a position in the spool."""

_LOCK_TIMEOUT_S = 5.0


class Spool:
    """The spool of an archive; one archiver writes it, one engine takes from it.

    Args:
        archive: the archive's folder.
        taker: whether this is the engine's, which sets broken segments aside as the archiver does.

    Attributes:
        reading: held by an archiver that stands by while an engine runs, as long as it reads.
    """

    def __init__(self, archive: Path, *, taker: bool = False) -> None:
        self.reading = ProcessLock(archive / SPOOL / "reading.lock")
        self._archive = archive
        self.path = archive / SPOOL
        self._log = EventLog(self.path, keeper=taker)
        self._last: int | None = None

    def lock(self) -> None:
        """Become the archiver.

        Raises:
            ArchiveError: another process is, or the file system refuses.
        """
        prepare(self._archive)
        self._log.lock(_LOCK_TIMEOUT_S)
        known = [] if self._log.newest is None else [self._log.newest.batch]
        self._last = max([*known, *self.taken().values()], default=0)

    def append(self, events: Mapping[str, pa.Table]) -> int:
        """Keep events; when this returns, they survive a crash of the machine.

        Args:
            events: event tables by stream, as annotated: duplicates and late events are among them.

        Returns:
            How many they are.

        Raises:
            ArchiveError: another process is the archiver, or the file system refuses.
        """
        if self._last is None:
            self.lock()
        self._last = (self._last or 0) + 1
        for stream in sorted(events):
            self._log.append(stream, self._last, events[stream])
        return sum(table.num_rows for table in events.values())

    def tidy(self) -> None:
        """Delete what the engine has taken, and put small segments together; only the archiver may."""
        self._drop()
        compact(self._log, CompactionPolicy())

    def close(self) -> None:
        """Let another process be the archiver."""
        self.reading.release()
        self._log.close()

    @property
    def archiver_runs(self) -> bool:
        """Whether an archiver writes the spool now."""
        lock = ProcessLock(self.path / LOCK)
        if not lock.path.exists():
            return False
        alone = lock.acquire()
        lock.release()
        return not alone

    def taken(self) -> dict[str, int]:
        """What the engine has taken, by stream.

        Raises:
            ArchiveError: the note of it cannot be read.
        """
        note = self.path / TAKEN
        try:
            return {str(stream): int(batch) for stream, batch in json.loads(read_mirrored(note)).items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise ArchiveError(
                f"the note of what was taken from the intake cannot be read: {error}",
                place=Place(str(note)),
                hint="restore it from a copy, or remove it: what comes again is recognised",
            ) from error

    def settle(self, taken: Taken) -> None:
        """Note durably what the engine has taken; what is not behind that goes, now or when the archiver tidies up."""
        before = self.taken()
        if all(before.get(stream, 0) >= batch for stream, batch in taken.items()):
            return
        write_mirrored(self.path / TAKEN, json.dumps({**before, **taken}).encode())
        lock = ProcessLock(self.path / LOCK)
        if lock.acquire():
            try:
                self._drop()
            finally:
                lock.release()

    def waiting(self, taken: Taken) -> dict[str, list[Segment]]:
        """The segments behind what was taken, by stream; streams without any are left out."""
        found = {s: self._behind(s, taken.get(s, 0)) for s in self._log.streams()}
        return {stream: segments for stream, segments in found.items() if segments}

    def newest(self, taken: Taken) -> dict[str, int]:
        """The last position of each stream that has events behind what was taken."""
        return {stream: segments[-1].last.batch for stream, segments in self.waiting(taken).items()}

    def pieces(self, taken: Taken, upto: Taken, rows: int) -> Iterator[dict[str, pa.Table]]:
        """Read events in order of arrival, some of each stream at a time.

        Args:
            taken: behind which positions.
            upto: up to which; streams that it leaves out are not read.
            rows: how many events of a stream a piece has, about.
        """
        at = {stream: taken.get(stream, 0) for stream in upto}
        while behind := [stream for stream, last in upto.items() if at[stream] < last]:
            piece = {}
            for stream in behind:
                read = partial(self._piece, stream, at[stream], upto[stream], rows)
                piece[stream], at[stream] = read_consistently(read)
            yield piece

    def slices(self, taken: Taken, upto: Taken) -> dict[str, list[SegmentSlice]]:
        """Find events, in order of arrival, for somebody else to read; what is broken is set aside first.

        Args:
            taken: as of `pieces`.
            upto: likewise.
        """
        found = {s: read_consistently(partial(self._sound, s, taken.get(s, 0), last)) for s, last in upto.items()}
        return {stream: slices for stream, slices in found.items() if slices}

    def mark(self, stream: str, taken: Taken) -> datetime | None:
        """The greatest `_time` of a stream behind what was taken: the high-water mark; `None`: nothing is there."""
        known = self._log.slices(stream, Position(self._log.generation, taken.get(stream, 0)))
        return max((part.facts.last for part in known), default=None)

    def rows(self) -> dict[str, int]:
        """Count the events that the engine has not taken, by stream."""
        taken = self.taken()
        after = {s: Position(self._log.generation, taken.get(s, 0)) for s in self._log.streams()}
        counts = {s: sum(part.facts.rows for part in self._log.slices(s, p)) for s, p in after.items()}
        return {stream: count for stream, count in counts.items() if count}

    def _drop(self) -> None:
        taken = self.taken()
        for stream in self._log.streams():
            for one in self._log.manifest(stream).segments():
                if one.last.batch <= taken.get(stream, 0):
                    one.path.unlink(missing_ok=True)

    def _behind(self, stream: str, batch: int) -> list[Segment]:
        return list(self._log.manifest(stream).behind(Position(self._log.generation, batch)))

    def _sound(self, stream: str, batch: int, upto: int) -> list[SegmentSlice]:
        """The slices behind a position up to another one, each of which has been read once."""
        after, to = (Position(self._log.generation, b) for b in (batch, upto))
        found = self._log.slices(stream, after, to)
        for one in found:
            self._log.manifest(stream).check(one.path)
        return found

    def _piece(self, stream: str, batch: int, upto: int, rows: int) -> tuple[pa.Table, int]:
        count, last = 0, batch
        for one in self._behind(stream, batch):
            held = self._log.manifest(stream).facts(one.path).rows
            if count and (count + held > rows or one.first.batch > upto):
                break
            count, last = count + held, min(one.last.batch, upto)
        after, to = (Position(self._log.generation, b) for b in (batch, last))
        return self._log.read_slices(self._log.slices(stream, after, to), again=True), last if count else upto


@dataclass(frozen=True, slots=True)
class KeptEvents:
    """What a batch takes of a spool.

    Attributes:
        spool: which.
        taken: by stream, behind which position.
        upto: by stream, up to which one.
        rows: so many events of a stream come at once, about.
    """

    spool: Spool
    taken: Taken
    upto: Taken
    rows: int

    def pieces(self) -> Iterator[dict[str, pa.Table]]:
        """The events in order of arrival, some of each stream at a time."""
        return self.spool.pieces(self.taken, self.upto, self.rows)

    def slices(self) -> dict[str, list[SegmentSlice]]:
        """Where they are, by stream."""
        return self.spool.slices(self.taken, self.upto)
