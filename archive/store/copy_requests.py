"""Copies of the store for other processes, on request.

Oxigraph lets one process open a store, and reading beside a writer is undefined. So a reader leaves a request file;
the process that has the store open answers it with a copy made of hard links; the reader reads that, then deletes it.
A reader that finds the store free copies its files itself, and lets an engine have the store that starts meanwhile.
"""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...errors import ArchiveError, Place
from ...storage import ProcessLock, write_atomically
from ..folder_layout import SNAPSHOTS, STORE, check_version
from .oxigraph_folder import damaged, lock_of, open_folder, open_read_only
from .store import StoreDamagedError

_ALIVE, _REQUEST, _UNFINISHED, _OWN, _DAMAGE = ".alive", ".request", ".unfinished", ".own", ".damage"
"""`.unfinished` is made by whoever has the store open, `.own` by the reader itself."""
_UNCHANGING = ".sst"
_POLL_S = 0.02
_YOUNG_S = 60.0


def answer_requests(root: Path, backup: Callable[[Path], None]) -> None:
    """Make the copies that other processes asked for; a reader whose copy cannot be made learns it by waiting.

    Args:
        root: the archive's folder.
        backup: copies the open store to a new folder.

    Raises:
        StoreDamagedError: the store cannot be copied for it is damaged; who asked is answered once it is another one.
    """
    folder = root / SNAPSHOTS
    for request in folder.glob(f"*{_REQUEST}"):
        copy, unfinished = request.with_suffix(""), request.with_suffix(_UNFINISHED)
        if request.with_suffix(_ALIVE).exists() and not copy.exists():
            shutil.rmtree(unfinished, ignore_errors=True)  # half of one that a killed engine has left
            try:
                backup(unfinished)
                unfinished.rename(copy)
            except StoreDamagedError:
                shutil.rmtree(unfinished, ignore_errors=True)
                raise
            except (ArchiveError, OSError):
                shutil.rmtree(unfinished, ignore_errors=True)
        request.unlink(missing_ok=True)


def report_damage(root: Path, copy: Path, damage: StoreDamagedError) -> StoreDamagedError:
    """Pass on to whoever writes a store what is wrong with a copy of it, which has the same files.

    Args:
        root: the archive's folder.
        copy: that of the copy.
        damage: what RocksDB says of it.

    Returns:
        The error for whoever asks.
    """
    told = damage.message.replace(str(copy), str(root / STORE))
    try:
        with write_atomically(copy.with_suffix(_DAMAGE)) as temporary:
            temporary.write_text(told, encoding="utf-8")
    except OSError:
        return damage
    hint = "it is passed on to the engine, which builds the store again when that is met twice; ask again"
    return StoreDamagedError(told, place=Place(str(root / STORE)), hint=hint)


def reported_damage(root: Path) -> str | None:
    """What a reader has met that is wrong with the store; each is told once."""
    for note in sorted((root / SNAPSHOTS).glob(f"[!.]*{_DAMAGE}")):
        told = note.read_text(encoding="utf-8")
        note.unlink()
        return told
    return None


def forget_damage(root: Path) -> None:
    """Forget what readers have met: the store is another one."""
    while reported_damage(root) is not None:
        pass


def remove_leftovers(root: Path) -> None:
    """Delete the copies of readers that were killed."""
    folder = root / SNAPSHOTS
    if not folder.is_dir():
        return
    for alive in folder.glob(f"*{_ALIVE}"):
        lock = ProcessLock(alive)
        # A young file that nobody has locked may belong to a reader that is just about to.
        locked = alive.stat().st_size > 0 or time.time() - alive.stat().st_mtime > _YOUNG_S
        if locked and lock.acquire():
            _remove(alive)
            lock.release()
    for copy in folder.iterdir():
        if copy.is_dir() and not copy.with_suffix(_ALIVE).exists():
            shutil.rmtree(copy, ignore_errors=True)


@contextmanager
def copy_store(root: Path, timeout: float = 10.0) -> Iterator[Path]:
    """Give a folder with the store of an archive as it is now, whether or not an engine has it open.

    Args:
        root: the archive's folder.
        timeout: seconds that an engine has for answering; it answers between two writes.

    Raises:
        ArchiveError: there is no store, it is damaged, or whoever has it open does not answer.
    """
    if not (root / STORE).is_dir():
        raise ArchiveError(
            "there is no store", place=Place(str(root)), hint="run the project first, with store = true under [archive]"
        )
    check_version(root)
    with _private_place(root) as alive:
        yield _copy(root, alive, timeout)


def backup_store(root: Path, target: Path, timeout: float) -> None:
    """Copy the store of an archive as it is now to a new folder, as `copy_store`."""
    with copy_store(root, timeout) as copy:
        open_folder(copy).backup(target)  # who only reads a store leaves out what is in RocksDB's log alone


@contextmanager
def make_room(root: Path) -> Iterator[Path]:
    """Give the name of a folder in an archive for a store that is gone afterwards.

    Raises:
        ArchiveError: the archive may not be written.
    """
    with _private_place(root) as alive:
        yield alive.with_suffix("")


@contextmanager
def _private_place(root: Path) -> Iterator[Path]:
    """Give a file that is locked while this lasts; what has its name with other endings is removed afterwards."""
    alive = root / SNAPSHOTS / f"{uuid.uuid4().hex}{_ALIVE}"
    lock = ProcessLock(alive)
    try:
        alive.parent.mkdir(exist_ok=True)
        lock.acquire()
    except OSError as error:
        raise ArchiveError(
            f"no copy of the store can be made: {error.strerror}",
            place=Place(str(alive.parent)),
            hint="a reader needs write access to that folder",
        ) from error
    try:
        yield alive
    finally:
        _remove(alive)
        lock.release()


def _copy(root: Path, alive: Path, timeout: float) -> Path:
    """Copy the store, or have it copied by the process that has it open."""
    copy, request = alive.with_suffix(""), alive.with_suffix(_REQUEST)
    deadline = time.monotonic() + timeout
    lock, alone = lock_of(root / STORE), False
    request.touch()
    while not copy.exists():
        if lock.acquire():
            try:
                alone = not _copy_free(root / STORE, copy, lock, alone=alone)
            finally:
                lock.release()
        elif time.monotonic() > deadline:
            raise ArchiveError(
                f"{lock.holder()} has the store open and does not answer",
                place=Place(str(root / STORE)),
                hint="try again, or stop it",
            )
        else:
            time.sleep(_POLL_S)
    request.unlink(missing_ok=True)
    return copy


def _copy_free(path: Path, copy: Path, lock: ProcessLock, *, alone: bool) -> bool:
    """Copy a store whose lock is held; the one who had it may just have left the copy.

    In a process with many threads this takes seconds: a file after the other waits for the interpreter. An engine does
    not wait for that, unless the reader has been disturbed before.

    Args:
        path: the store's folder.
        copy: the folder to be.
        lock: the store's.
        alone: whether nobody may open the store meanwhile.

    Returns:
        Whether there is a copy: nobody has opened the store meanwhile.
    """
    if copy.exists():
        return True
    own = copy.with_suffix(_OWN)
    try:
        if not (path / "CURRENT").exists():
            open_folder(path)  # of a folder that is empty it makes a store; one that has lost this file is damaged
        if not alone:
            lock.release()
        _copy_files(path, own)
    except ArchiveError:
        if lock.untouched():
            raise
    if lock.untouched():
        own.rename(copy)
        return True
    shutil.rmtree(own, ignore_errors=True)
    return False


def _copy_files(path: Path, copy: Path) -> None:
    """Copy the files of a store that nobody has open.

    As they lie there: whoever opens it to write begins to put them together, and keeps an engine that starts from it.
    """
    open_read_only(path)  # says what is wrong with it
    try:
        copy.mkdir()
        for file in path.iterdir():
            _copy_file(file, copy / file.name)
    except (OSError, RuntimeError) as error:
        raise damaged(path, error) from error


def _copy_file(file: Path, to: Path) -> None:
    """Copy a file of a store; what RocksDB never changes is the same file under another name."""
    if file.suffix == _UNCHANGING:
        with suppress(OSError):  # such as of a file system without links
            to.hardlink_to(file)
            return
    shutil.copyfile(file, to)


def _remove(alive: Path) -> None:
    alive.with_suffix(_REQUEST).unlink(missing_ok=True)
    for folder in (alive.with_suffix(""), alive.with_suffix(_UNFINISHED), alive.with_suffix(_OWN)):
        shutil.rmtree(folder, ignore_errors=True)
    alive.unlink(missing_ok=True)
