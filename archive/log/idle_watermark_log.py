"""The idle-watermark log: where wall clock moved the watermarks of idle streams, by batch (docs/semantics.md 1.5).

They are part of the log: a replay that follows them judges lateness, and closes windows, as was done live.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ...errors import ArchiveError, Place
from ...storage import make_folder, write_atomically
from .segment import Position

_ENDING = ".json"


class IdleWatermarkLog:
    """A file per batch that moved watermarks without events; whole or not there.

    Args:
        folder: made by the first `write`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, position: Position, watermarks: Mapping[str, datetime], replaces: Position | None = None) -> None:
        """Keep the watermarks of a batch; when this returns, they survive a crash of the machine.

        The same position again replaces what it held.

        Args:
            position: of the batch, after whose events they were moved.
            watermarks: by stream, aware; of none there is no note.
            replaces: a position before, with no event between the two: its watermarks are kept under the new one.

        Raises:
            ArchiveError: the file system refuses, or the file that is replaced is broken.
        """
        path = self._path(position)
        if not watermarks:
            path.unlink(missing_ok=True)
            return
        earlier = {} if replaces is None else self.read(replaces)
        try:
            make_folder(self.folder)
            with write_atomically(path) as temporary:
                texts = {stream: moment.isoformat() for stream, moment in {**earlier, **watermarks}.items()}
                temporary.write_text(json.dumps(texts), encoding="utf-8")
            if replaces is not None:
                self._path(replaces).unlink(missing_ok=True)
        except OSError as error:
            raise ArchiveError(
                f"cannot note that watermarks are moved: {error.strerror or error}",
                place=Place(str(path)),
                hint="free some space or choose another path under [archive]",
            ) from error

    def read(self, position: Position) -> dict[str, datetime]:
        """Return where a batch moved watermarks, by stream; of a batch without a note nothing.

        Raises:
            ArchiveError: the file is broken.
        """
        path = self._path(position)
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return {stream: datetime.fromisoformat(text) for stream, text in content.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise ArchiveError(
                f"the note of moved watermarks cannot be read: {error}",
                place=Place(str(path)),
                hint="restore it from a copy, or remove it: a replay then takes the streams' own time",
            ) from error

    def positions(self) -> list[Position]:
        """List the batches that moved watermarks, ascending."""
        if not self.folder.is_dir():
            return []
        names = (path.name.removesuffix(_ENDING).split("-") for path in self.folder.glob(f"[0-9]*-[0-9]*{_ENDING}"))
        return sorted(Position(int(generation), int(batch)) for generation, batch in names)

    def remove(self, before: Position) -> None:
        """Forget the batches before a position."""
        for position in self.positions():
            if position < before:
                self._path(position).unlink(missing_ok=True)

    def _path(self, position: Position) -> Path:
        return self.folder / f"{position}{_ENDING}"
