"""The files of one stream's dead letters: one per batch, small ones put together, the oldest removed."""

from __future__ import annotations

import re
from pathlib import Path

from ...storage import fsync, make_folder, remove_temporaries, write_atomically

__all__ = ["LetterFiles"]

_NAME = re.compile(r"(\d+)(?:_(\d+))?\.jsonl")
_SINGLE = 64
"""So many files of one batch are put together."""
_LARGE = 10**6
"""A file of so many bytes gets no more."""

Range = tuple[int, int]


class LetterFiles:
    """The files of a folder; whole or not there. A batch that a longer file holds as well counts there.

    Args:
        folder: made when there is something to write.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        names = [(path, _NAME.fullmatch(path.name)) for path in folder.glob("*.jsonl")]
        found = {path: (int(name[1]), int(name[2] or name[1])) for path, name in names if name}
        self._sizes: dict[Range, int] = {held: path.stat().st_size for path, held in sorted(found.items())}
        if folder.is_dir():
            remove_temporaries(folder)
        self._remove([one for one in self._sizes if any(_covers(other, one) for other in self._sizes)])

    def write(self, batch: int, lines: bytes) -> None:
        """Keep the lines of a batch durably, in the place of what it had; the newest one only may come again."""
        own = (batch, batch)
        if lines:
            make_folder(self.folder)
            self._replace(own, lines)
        elif own in self._sizes:
            self._remove([own])
        singles = [one for one in self._sizes if one[0] == one[1] != batch]
        if len(singles) >= _SINGLE:
            self._put_together(sorted(singles))

    def remove(self, batch: int) -> None:
        """Forget those of one batch, the newest; when this returns, that survives a power cut."""
        if (batch, batch) in self._sizes:
            self._remove([(batch, batch)])
            fsync(self.folder)

    def limit(self, most: int) -> bool:
        """Remove the oldest files as long as all have more bytes, but for the newest; tell whether one went."""
        before = len(self._sizes)
        while len(self._sizes) > 1 and sum(self._sizes.values()) > most:
            self._remove([min(self._sizes)])
        return len(self._sizes) < before

    def _put_together(self, singles: list[Range]) -> None:
        """Make one file of several, and of the one before them unless that is large."""
        earlier = max((one for one in self._sizes if one[0] < one[1] < singles[0][0]), default=None)
        parts = [*([] if earlier is None or self._sizes[earlier] >= _LARGE else [earlier]), *singles]
        self._replace((parts[0][0], parts[-1][1]), b"".join(self._path(one).read_bytes() for one in parts))
        self._remove(parts)

    def _replace(self, held: Range, lines: bytes) -> None:
        with write_atomically(self._path(held)) as temporary:
            temporary.write_bytes(lines)
        self._sizes[held] = len(lines)

    def _remove(self, files: list[Range]) -> None:
        for one in files:
            self._path(one).unlink(missing_ok=True)
            del self._sizes[one]

    def _path(self, held: Range) -> Path:
        first, last = held
        return self.folder / (f"{first:012d}.jsonl" if first == last else f"{first:012d}_{last:012d}.jsonl")


def _covers(longer: Range, one: Range) -> bool:
    return longer != one and longer[0] <= one[0] and one[1] <= longer[1]
