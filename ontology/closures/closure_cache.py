"""The closures that were made before, by what they are made of: modules, reasoner, and the program that made them.

Several processes may use a cache at once: a closure appears as a whole, by renaming a folder; who needs one that
another process is making waits for it. What cannot be read is made again, what cannot be written is not kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ...settings import ReasonerName
from ...storage import ProcessLock, Telling, folder_size, is_running, read_checked, untold, write_checked
from ..modules import DocumentHeads, Module
from ..program_version import program_version
from ..reasoners import REASONERS, Closing, Closure, ClosureLimits
from .kept_closure import read_closure, write_closure

__all__ = ["ClosureCache"]

_FEWEST_TRIPLES = 5_000
"""Of so many a closure is made faster than it is read."""
_PATIENCE_S = 600.0
_LOCKS = 16


class ClosureCache:
    """Keeps closures in a folder.

    Args:
        folder: made when something is kept.
        most: bytes that it may hold; what has not been used for longest goes first.
        fewest: of so many triples at least a closure is kept; those of DL reasoners always are.
    """

    def __init__(self, folder: Path, most: int, fewest: int = _FEWEST_TRIPLES) -> None:
        self.folder = folder
        self.heads = DocumentHeads(folder / "documents")
        self._closures = folder / "closures"
        self._copies = folder / "copies"
        self._most = most
        self._fewest = fewest

    def keeping(self, closing: Closing, told: Telling = untold) -> Closing:
        """As `closing`, and the second time from the files of the first; `told` hears how much of them is written."""

        def close(
            modules: Sequence[Module], reasoner: ReasonerName, prefixes: Mapping[str, str], limits: ClosureLimits
        ) -> Closure:
            key = _key(modules, reasoner)
            found = self._find(key)
            if found is not None:
                return found
            with self._making(key):
                found = self._find(key)
                if found is not None:
                    return found
                made = closing(modules, reasoner, prefixes, limits)
                self._keep(key, made, modules, reasoner, told)
                return made

        return close

    def recall(self, modules: Sequence[Module], topic: str) -> str | None:
        """What was remembered of modules."""
        return read_checked(self._memory(modules, topic))

    def remember(self, modules: Sequence[Module], topic: str, text: str) -> None:
        """Keep something that was found out about modules; of few triples it is found out faster than read."""
        if sum(len(module.triples) for module in modules) < self._fewest:
            return
        path = self._memory(modules, topic)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_checked(path, text)
        except OSError:
            return

    def _memory(self, modules: Sequence[Module], topic: str) -> Path:
        return self.heads.folder / f"{_key(modules, topic)}.json"

    def _find(self, key: str) -> Closure | None:
        return read_closure(self._closures / key, key, self._copies)

    def _keep(
        self, key: str, closure: Closure, modules: Sequence[Module], reasoner: ReasonerName, told: Telling
    ) -> None:
        if len(closure.store) < self._fewest and REASONERS[reasoner].java is None:
            return
        temporary = self._closures / f".{os.getpid()}-{secrets.token_hex(8)}"
        try:
            temporary.mkdir(parents=True)
            write_closure(temporary, key, closure, modules, told)
            if _size(temporary) <= self._most:
                _replace(temporary, self._closures / key)
        except OSError:
            return  # no space, no right: it is made again the next time
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        self._make_room()

    @contextmanager
    def _making(self, key: str) -> Iterator[None]:
        """Wait while another process makes the closure, for some minutes at most."""
        try:
            folder = self.folder / "locks"
            folder.mkdir(parents=True, exist_ok=True)
            lock = ProcessLock(folder / f"{int(key[:8], 16) % _LOCKS:02d}.lock")
            lock.acquire(_PATIENCE_S)
        except OSError:
            yield
            return
        try:
            yield
        finally:
            lock.release()

    def _make_room(self) -> None:
        """Delete what has not been used for longest, and what processes have left that are gone."""
        entries = [*self._closures.glob("[!.]*"), *self.heads.folder.glob("*.json")]
        aged = sorted((_last_used(entry), _size(entry), entry) for entry in entries)
        total = sum(size for _, size, _ in aged)
        for _, size, entry in aged:
            if total <= self._most:
                break
            _delete(entry)
            total -= size
        for left in (*self._closures.glob(".*"), *self._copies.glob("*")):
            if not is_running(left.name.lstrip(".").partition("-")[0]):
                _delete(left)


def _key(modules: Sequence[Module], topic: str) -> str:
    said = [program_version(), topic, [(module.digest, module.base) for module in modules]]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _replace(temporary: Path, path: Path) -> None:
    """Put a folder in the place of another, which is damaged."""
    if path.exists():
        old = temporary.with_name(f"{temporary.name}-old")
        path.rename(old)
        shutil.rmtree(old, ignore_errors=True)
    temporary.rename(path)


def _delete(entry: Path) -> None:
    if entry.is_dir():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)


def _size(entry: Path) -> int:
    return folder_size(entry) if entry.is_dir() else _stat(entry).st_size


def _last_used(entry: Path) -> float:
    return _stat(entry / "manifest.json" if entry.is_dir() else entry).st_mtime


def _stat(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError:
        return os.stat_result((0,) * 10)
