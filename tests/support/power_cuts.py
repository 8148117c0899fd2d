"""Power cuts: what a folder may look like after one, at any moment of what a program does in it.

A recorder stands below every file operation: it is called before and after each `open`, `fsync`, `rename`, `unlink`,
`mkdir` and `truncate` of Python's, and looks then what has changed in the folder, so it also sees what libraries write
by themselves (Parquet), and what was written and not synced. From what it has recorded it makes the states that a cut
may leave, as ALICE (Pillai and others, OSDI 2014) and CrashMonkey (Mohan and others, OSDI 2018) do:

- content that is not synced may be there, may be missing as if the file were empty, or be there in part;
- a name that was made, renamed or removed in a folder that was not synced since may be as before or as after,
  whatever became of the others;
- only `fsync` of a file makes its content certain, and only `fsync` of its folder its name.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

__all__ = ["DiskRecorder", "DiskState", "stamp_of"]

DiskState = dict[str, bytes]
"""By path from the folder on, what each file holds."""

_RECENT = 12
"""How many of the last operations of somebody careless are lost, or left, one by one; earlier ones in one."""


@dataclass
class _File:
    """One file, wherever its name is: what is certain, and what was written last. Of a folder only the name counts."""

    synced: bytes = b""
    written: bytes = b""
    is_folder: bool = False


@dataclass(frozen=True)
class _Rename:
    """A name in a folder was given to a file, or taken from it; both for a rename."""

    file: int
    old: str | None
    new: str | None

    @property
    def path(self) -> str:
        return self.new or self.old or ""

    @property
    def folders(self) -> set[str]:
        return {_folder_of(path) for path in (self.old, self.new) if path is not None}


@dataclass
class _Disk:
    """What is certain, and what is not.

    Attributes:
        careless: whether a path is of somebody who syncs nothing.
        files: by number.
        names: of files, as they are for sure.
        pending: what became of names since, in order.
    """

    careless: Callable[[str], bool]
    files: dict[int, _File] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    pending: list[_Rename] = field(default_factory=list)

    def sync_folder(self, folder: str) -> None:
        """Make what became of the names of a folder certain."""
        left = []
        for change in self.pending:
            if folder in change.folders:
                _apply(self.names, change)
            else:
                left.append(change)
        self.pending = left

    def states(self) -> Iterator[DiskState]:
        """What a cut may leave now."""
        everything, count = set(range(len(self.pending))), len(self.pending)
        recent = [n for n, change in enumerate(self.pending) if n >= count - _RECENT or not self.careless(change.path)]
        yield self._state(everything, _written)
        yield self._state(set(), _synced)
        yield self._state(set(), _written)
        for loss in _LOSSES:
            yield self._state(everything, partial(_unsynced, loss))
        for lost in recent:
            yield self._state(everything - {lost}, _written)
            yield self._state(everything - {lost}, _synced)
            yield self._state(everything - set(range(lost, count)), _written)
            yield self._state({lost}, _written)
        unsynced = [n for n, file in self.files.items() if file.written != file.synced]
        names = {file: path for path, file in _names_of(self.names, self.pending).items()}
        last = set(unsynced[-_RECENT:])
        for alone in [self.files[n] for n in unsynced if n in last or not self.careless(names.get(n, ""))]:
            for loss in _LOSSES:
                yield self._state(everything, partial(_lost_alone, alone, loss))

    def _state(self, kept: set[int], content: Callable[[_File], bytes]) -> DiskState:
        names = dict(self.names)
        for number, change in enumerate(self.pending):
            if number in kept:
                _apply(names, change)
        there = {path for path, file in names.items() if self.files[file].is_folder}
        held = {path: self.files[file] for path, file in names.items() if path not in there}
        return {path: content(file) for path, file in held.items() if there.issuperset(_folders_above(path))}


class DiskRecorder:
    """Records what happens in a folder, and gives the states that a cut may leave.

    Args:
        root: the folder; what is in it at first is certain.
        on_state: takes each state that differs from all before it, while the program goes on, with the number of the
            operation after which the cut comes.
        careless: whether a file is of somebody who never syncs anything, by its path from the folder on: of what such
            a one has not synced only the last few operations are lost, or left, one by one.

    Attributes:
        syncs: how many `fsync` there were, in all.
        operations: how many operations were recorded.
    """

    def __init__(
        self,
        root: Path,
        on_state: Callable[[int, DiskState], None],
        careless: Callable[[str], bool] = lambda _: False,
        unsynced: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.syncs = self.operations = 0
        self._lock = threading.RLock()
        self._root, self._on_state, self._unsynced = root, on_state, unsynced
        self._disk = _Disk(careless)
        self._names: dict[str, int] = {}
        self._stamps: dict[str, tuple[int, int, int]] = {}
        self._told: set[int] = set()
        self._look()
        for file in self._disk.files.values():
            file.synced = file.written
        self._disk.names, self._disk.pending = dict(self._names), []

    def states(self) -> list[DiskState]:
        """What a cut may leave now."""
        found = {tuple(sorted(state.items())): state for state in self._disk.states()}
        return list(found.values())

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what the block does."""
        with (
            patch("os.fsync", self._wrapped(os.fsync, self._synced)),
            patch("os.replace", self._wrapped(os.replace, self._renamed)),
            patch("os.rename", self._wrapped(os.rename, self._renamed)),
            patch("os.unlink", self._wrapped(os.unlink, self._removed)),
            patch("os.remove", self._wrapped(os.remove, self._removed)),
            patch("os.mkdir", self._wrapped(os.mkdir, lambda *_: None)),
            patch("os.open", self._wrapped(os.open, lambda *_: None)),
        ):
            yield
            self._look()
            self._tell()

    def _wrapped(self, original: Callable[..., Any], note: Callable[..., None]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            with self._lock:
                self._look()
                result = original(*arguments, **named)
                note(*arguments)
                self._look()
                self._tell()
                return result

        return call

    def _synced(self, descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        if not path.is_relative_to(self._root):
            return
        self.syncs += 1
        name = str(path.relative_to(self._root))
        if self._unsynced(name):
            return
        if path.is_dir():
            self._disk.sync_folder("" if name == "." else name)
        elif name in self._names:
            file = self._disk.files[self._names[name]]
            file.synced = file.written

    def _renamed(self, old: Any, new: Any) -> None:
        source, target = self._name(old), self._name(new)
        if source in self._names and target is not None:
            number = self._names.pop(source)
            self._names[target] = number
            self._stamps[target] = self._stamps.pop(source)
            self._disk.pending.append(_Rename(number, source, target))

    def _removed(self, path: Any) -> None:
        name = self._name(path)
        if name in self._names:
            self._disk.pending.append(_Rename(self._names.pop(name), name, None))
            self._stamps.pop(name)

    def _name(self, path: Any) -> str | None:
        absolute = Path.cwd() / path
        return str(absolute.relative_to(self._root)) if absolute.is_relative_to(self._root) else None

    def _look(self) -> None:
        """Find what was made and written since."""
        for folder, folders, files in os.walk(self._root):
            for name in (os.path.relpath(f"{folder}/{name}", self._root) for name in sorted(folders)):
                if name not in self._names:
                    self._make(name, is_folder=True)
            for name in (os.path.relpath(f"{folder}/{name}", self._root) for name in sorted(files)):
                stamp = stamp_of((self._root / name).stat())
                if self._stamps.get(name) != stamp:
                    if name not in self._names:
                        self._make(name)
                    self._stamps[name] = stamp
                    self._disk.files[self._names[name]].written = (self._root / name).read_bytes()

    def _make(self, name: str, *, is_folder: bool = False) -> None:
        self._names[name] = len(self._disk.files)
        self._disk.files[self._names[name]] = _File(is_folder=is_folder)
        self._disk.pending.append(_Rename(self._names[name], None, name))

    def _tell(self) -> None:
        self.operations += 1
        for state in self._disk.states():
            digest = hash(frozenset(state.items()))
            if digest not in self._told:
                self._told.add(digest)
                self._on_state(self.operations, state)


def stamp_of(known: os.stat_result) -> tuple[int, int, int]:
    """What becomes another when a file is written."""
    return known.st_ino, known.st_size, known.st_mtime_ns


def _names_of(names: dict[str, int], pending: list[_Rename]) -> dict[str, int]:
    """The names as they are now."""
    found = dict(names)
    for change in pending:
        _apply(found, change)
    return found


@cache
def _folders_above(path: str) -> frozenset[str]:
    folder = _folder_of(path)
    return _folders_above(folder) | {folder} if folder else frozenset()


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _apply(names: dict[str, int], change: _Rename) -> None:
    if change.old is not None and names.get(change.old) == change.file:
        del names[change.old]
    if change.new is not None:
        names[change.new] = change.file


def _written(file: _File) -> bytes:
    return file.written


def _synced(file: _File) -> bytes:
    return file.synced


def _emptied(file: _File) -> bytes:
    """Nothing, or what is certain and was only added to."""
    return file.synced if file.written.startswith(file.synced) else b""


def _half(file: _File) -> bytes:
    """What is certain, and half of what comes behind it; or half of it all."""
    certain = len(file.synced) if file.written.startswith(file.synced) else 0
    return file.written[: (certain + len(file.written)) // 2]


_LOSSES = (_synced, _emptied, _half)


def _unsynced(loss: Callable[[_File], bytes], file: _File) -> bytes:
    """Lose what is not synced of each file."""
    return file.written if file.written == file.synced else loss(file)


def _lost_alone(alone: _File, loss: Callable[[_File], bytes], file: _File) -> bytes:
    """Lose what is not synced of one file."""
    return loss(file) if file is alone else file.written
