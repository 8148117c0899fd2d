"""The idle-watermark log: where wall clock moved the watermarks of idle streams, by batch (docs/semantics.md 1.5).

They are part of the log: a replay that follows them judges lateness, and closes windows, as was done live. They are
kept as events are: a watermark is a row whose `_time` it is, its stream the `_id`; compaction and retention are those
of any log.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

import pyarrow as pa

from ...errors import ArchiveError, Place
from ...storage import StoragePath, sorted_files
from .batch_index import Position
from .batch_scan import scan_batches
from .event_log import EventLog
from .segment import TIME

_WATERMARKS = "watermarks"
_NOTES = "[0-9]*-[0-9]*.json"


class IdleWatermarkLog:
    """The batches that moved watermarks without events.

    Args:
        folder: made by the first `write`.
        generation: that of the positions that are written.
        locks: the folder of the lock file; `None`: the log's own, which a bucket is not.

    Attributes:
        log: the rows; all are of one stream.
    """

    def __init__(self, folder: StoragePath, generation: int = 0, *, locks: Path | None = None) -> None:
        self.log = EventLog(folder, generation, locks=locks)

    def open(self) -> None:
        """Become the writer of what is there, and put the notes of earlier versions, a file each, into the log.

        Raises:
            ArchiveError: somebody else is, the file system refuses, or a note is broken.
        """
        if self.log.is_kept:
            self.log.lock()
        for note in sorted_files(self.log.path, _NOTES):
            _, batch = note.stem.split("-")
            self.write(Position(self.log.generation, int(batch)), _noted(note))
            note.unlink()

    def write(self, position: Position, watermarks: Mapping[str, datetime], replaces: Position | None = None) -> None:
        """Keep the watermarks of a batch; when this returns, they survive a crash of the machine.

        The same position again replaces what it held.

        Args:
            position: of the batch, after whose events they were moved.
            watermarks: by stream, aware; of none there is no note.
            replaces: a position before, with no event between the two: its watermarks are kept under the new one.

        Raises:
            ArchiveError: the file system refuses, or what is replaced is broken.
        """
        if not watermarks and not self.log.path.is_dir():
            return
        earlier = {} if replaces is None or not watermarks else self.read(replaces)
        self.log.append(_WATERMARKS, position.batch, _table({**earlier, **watermarks}))
        if earlier and replaces is not None:
            self.log.append(_WATERMARKS, replaces.batch, _table({}))

    def read(self, position: Position) -> dict[str, datetime]:
        """Return where a batch moved watermarks, by stream; of a batch without a note nothing.

        Raises:
            ArchiveError: its segment is broken.
        """
        found = self.log.batch_of(_WATERMARKS, position)
        return {} if found is None else _watermarks(found)

    def scan(
        self, after: Position | None = None, upto: Position | None = None
    ) -> Iterator[tuple[Position, dict[str, datetime]]]:
        """Read the batches behind `after` and not behind `upto` that moved watermarks, ascending.

        Raises:
            ArchiveError: a segment is broken.
        """
        for position, found in scan_batches(self.log, after, upto):
            yield position, _watermarks(found[_WATERMARKS])

    def remove(self, before: Position) -> None:
        """Forget the batches before a position, as far as their files hold no other."""
        for one in self.log.manifest(_WATERMARKS).segments():
            if one.last < before:
                one.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let another process write."""
        self.log.close()


def _table(watermarks: Mapping[str, datetime]) -> pa.Table:
    moments = pa.array(list(watermarks.values()), TIME)
    return pa.table({"_time": moments, "_id": pa.array(list(watermarks), pa.string())})


def _watermarks(found: pa.Table) -> dict[str, datetime]:
    return dict(zip(found["_id"].to_pylist(), found["_time"].to_pylist(), strict=True))


def _noted(note: StoragePath) -> dict[str, datetime]:
    """A note of an earlier version.

    Raises:
        ArchiveError: it is broken.
    """
    try:
        content = json.loads(note.read_text(encoding="utf-8"))
        return {stream: datetime.fromisoformat(text) for stream, text in content.items()}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise ArchiveError(
            f"the note of moved watermarks cannot be read: {error}",
            place=Place(str(note)),
            hint="restore it from a copy, or remove it: a replay then takes the streams' own time",
        ) from error
