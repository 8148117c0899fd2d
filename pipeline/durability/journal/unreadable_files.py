"""The files of a journal that could not be read: passed over until they are other ones (docs/decisions/194)."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...sources import UnreadableFile, file_state

__all__ = ["UnreadableFiles"]

_MOST_GONE = 1000
"""So many of them that are gone are remembered: some day they come back."""
_QUIET_S = 10.0
"""A file that has not changed for so long is not being written any more."""

Key = tuple[str, str]
"""A stream, and a file as the journal calls it."""


class UnreadableFiles:
    """What is known of them in memory, each with the batch that could not read it.

    Args:
        root: what the paths of files start from.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[Key, tuple[int, UnreadableFile]] = {}

    def note(self, batch: int, files: Mapping[str, Sequence[UnreadableFile]]) -> None:
        """Note that a batch has nothing of some files."""
        self._known |= {(stream, self.name(file)): (batch, file) for stream, of in files.items() for file in of}

    def name(self, file: UnreadableFile) -> str:
        """How the journal calls a file: from the project's folder on, if it lies in it."""
        return file.path.removeprefix(f"{self._root.absolute()}/")

    def forget(self, keys: Iterable[Key]) -> None:
        """Forget files, since they are taken, or may be tried again."""
        for key in keys:
            self._known.pop(key, None)

    def forget_gone(self) -> None:
        """Forget the oldest of those that are gone, where they are too many."""
        gone = [key for key in self._known if not (self._root / key[1]).exists()]
        self.forget(gone[:-_MOST_GONE])

    def of(self, batch: int) -> dict[str, list[UnreadableFile]]:
        """By stream, those that a batch could not read."""
        found: dict[str, list[UnreadableFile]] = {}
        for (stream, _), (number, file) in self._known.items():
            if number == batch:
                found.setdefault(stream, []).append(file)
        return found

    @property
    def batches(self) -> set[int]:
        """The batches that could not read one."""
        return {batch for batch, _ in self._known.values()}

    def passed_over(self, batch: int, stream: str, file: str) -> bool:
        """Whether a batch is not to try a file: it is as it was, or this very batch has nothing of it."""
        number, known = self._known.get((stream, file), (None, None))
        return known is not None and (number == batch or file_state(self._root / file) == known.state)

    def mended(self, *, quiet: bool = False) -> list[str]:
        """Those that are there and other ones than they were, as the journal calls them.

        Args:
            quiet: only those that nobody seems to be writing.
        """
        states = ((name, file_state(self._root / name), file.state) for (_, name), (_, file) in self._known.items())
        changed = [(name, now) for name, now, before in states if now is not None and now != before]
        return [name for name, (_, at) in changed if not quiet or abs(time.time() - at / 1e9) > _QUIET_S]

    def try_again(self, names: Collection[str]) -> None:
        """Forget files of these names."""
        self.forget([key for key in self._known if key[1] in names])

    def line(self, batch: int) -> dict[str, dict[str, object]]:
        """What is written of those of a batch, by stream and name."""
        return {
            stream: {self.name(file): [file.reason, file.state, file.fleeting] for file in files}
            for stream, files in self.of(batch).items()
        }

    def read(self, batch: int, line: Mapping[str, Mapping[str, Any]]) -> None:
        """Note what was written."""
        root = self._root.absolute()
        for stream, files in line.items():
            for name, (reason, state, fleeting) in files.items():
                file = UnreadableFile(str(root / name), reason, state and (state[0], state[1]), fleeting)
                self._known[stream, name] = (batch, file)
