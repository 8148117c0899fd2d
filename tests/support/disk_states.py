"""States of a folder: many of them kept in little memory, and a folder that is put into one after another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .power_cuts import DiskState, stamp_of

__all__ = ["DiskStates", "RestoredFolder"]


class DiskStates:
    """States in their order, each with the number that it was added with; kept is what differs from the one before."""

    def __init__(self) -> None:
        self._changes: list[tuple[int, dict[str, bytes | None]]] = []
        self._last: DiskState = {}

    def add(self, number: int, state: DiskState) -> None:
        """Keep one more."""
        before, self._last = self._last, state
        paths = before.keys() | state.keys()
        self._changes.append((number, {p: state.get(p) for p in paths if state.get(p) != before.get(p)}))

    def __len__(self) -> int:
        return len(self._changes)

    def __iter__(self) -> Iterator[tuple[int, DiskState]]:
        state: DiskState = {}
        for number, changes in self._changes:
            state = {path: content for path, content in (state | changes).items() if content is not None}
            yield number, state


class RestoredFolder:
    """A folder that is put into one state after another, whatever became of it between; only what differs is written.

    Args:
        root: the folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._clock = 0
        self._known: dict[str, tuple[tuple[int, int, int], bytes]] = {}

    def put(self, state: DiskState) -> None:
        """Make the folder as a state says; folders without files go."""
        kept = set(self._tidied("", state))
        for path in state.keys() - kept:
            self._known[path] = self._write(self._root / path, state[path]), state[path]

    def _tidied(self, folder: str, state: DiskState) -> Iterator[str]:
        """Name what is as the state says, and remove the rest."""
        with os.scandir(self._root / folder) as found:
            entries = list(found)
        for entry in entries:
            name = f"{folder}{entry.name}"
            if entry.is_dir():
                kept = list(self._tidied(f"{name}/", state))
                yield from kept
                if not kept:
                    Path(entry.path).rmdir()
            elif name in state and self._known.get(name) == (stamp_of(entry.stat()), state[name]):
                yield name
            else:
                Path(entry.path).unlink()

    def _write(self, path: Path, content: bytes) -> tuple[int, int, int]:
        """Write a file, with a time stamp that no other has: clocks of file systems tick slowly."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self._clock += 1
        os.utime(path, ns=(self._clock, self._clock))
        return stamp_of(path.stat())
