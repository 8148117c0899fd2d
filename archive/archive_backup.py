"""Backups of an archive: complete by themselves, made also while an engine writes, and put back."""

from __future__ import annotations

import shutil
import uuid
from contextlib import suppress
from functools import partial
from pathlib import Path

from ..config import Settings
from ..errors import ArchiveError, Place
from ..storage import (
    DamagedFileError,
    StoragePath,
    fsync,
    make_folder,
    mirrored_files,
    read_mirrored,
    write_atomically,
    write_mirrored,
)
from .folder_layout import (
    IDLE_WATERMARKS,
    LOG,
    MATCHES,
    PROVENANCES,
    SPOOL,
    STORE,
    TAKEN,
    ArchivePlace,
    prepare,
    require_archive,
)
from .log import EventLog, Manifest, read_consistently
from .store import backup_store


def backup(settings: Settings, target: Path, timeout: float = 10.0) -> int:
    """Copy log, notes and store into a new folder; an engine or `[archive] path` can use that as it is.

    The store is copied first, so that the log has all that the store has.

    Args:
        settings: of the project.
        target: a folder that is not there yet, or empty.
        timeout: seconds that a running engine has to answer.

    Returns:
        The number of events.

    Raises:
        ArchiveError: there is no archive, the folder is not empty, or it cannot be written.
    """
    place = ArchivePlace.of(settings)
    place.require()
    source = place.root
    if _is_taken(target):
        raise ArchiveError("the backup's folder is not empty", place=Place(str(target)), hint="name a new one")
    try:
        prepare(target)
        if (source / STORE).is_dir():
            backup_store(source, target / STORE, timeout)
        for part in (LOG, IDLE_WATERMARKS):
            _copy_log(place.log(part), target / part)
        _copy_matches(place.logs, target)
        _copy_spool(source, target)
    except (OSError, RuntimeError, DamagedFileError) as error:
        raise ArchiveError(
            f"the backup cannot be made: {error}", place=Place(str(target)), hint="name a folder with enough space"
        ) from error
    return _count(target)


def restore(settings: Settings, source: Path) -> int:
    """Copy a backup to where the project's archive belongs; it is there as a whole, or not at all.

    Args:
        settings: of the project.
        source: what `backup` made.

    Returns:
        The number of events.

    Raises:
        ArchiveError: it is no archive or of a newer version, the project has an archive, or it cannot be written.
    """
    require_archive(source)
    target = settings.path(settings.archive.path)
    if settings.archive.log is not None:
        raise ArchiveError(
            "a backup is put back into a folder, and the project's log is in a bucket",
            place=Place(settings.archive.log),
            hint="leave out log under [archive] for it; or copy the folder into an empty prefix yourself",
        )
    if _is_taken(target):
        raise ArchiveError(
            "the project has an archive",
            place=Place(str(target)),
            hint="stop the engine and move that folder away first, or name another path under [archive]",
        )
    unfinished = target.with_name(f"{target.name}.{uuid.uuid4().hex}.unfinished")
    try:
        shutil.copytree(source, unfinished, copy_function=shutil.copyfile)  # rights are those of what is made now
        for path in [*unfinished.rglob("*"), unfinished]:
            fsync(path)
        if target.exists():
            target.rmdir()
        unfinished.rename(target)
        fsync(target.parent)
    except OSError as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise ArchiveError(
            f"the backup cannot be restored: {error}",
            place=Place(str(target)),
            hint="see whether there is enough space",
        ) from error
    return _count(target)


def _copy_matches(source: StoragePath, target: Path) -> None:
    """Copy the rows, then what they come from, which is there before them."""
    _copy_log(source / MATCHES, target / MATCHES)
    for origin in mirrored_files(source / PROVENANCES, "[0-9a-f]*.json"):
        write_mirrored(target / PROVENANCES / origin.name, read_mirrored(origin))


def _copy_spool(source: Path, target: Path) -> None:
    """Copy what no engine has taken yet; the note of what was taken first: what comes twice is recognised."""
    with suppress(FileNotFoundError):
        write_mirrored(target / SPOOL / TAKEN, read_mirrored(source / SPOOL / TAKEN))
    _copy_log(source / SPOOL, target / SPOOL)


def _copy_log(source: StoragePath, target: Path) -> None:
    log = EventLog(source)
    for stream in log.streams():
        read_consistently(partial(_copy_segments, log.manifest(stream), target))


def _copy_segments(manifest: Manifest, log: Path) -> None:
    for one in manifest.segments():
        copy = log / manifest.folder.name / one.path.name
        if not copy.exists():
            _copy(one.path, copy)


def _copy(file: StoragePath, copy: Path) -> None:
    make_folder(copy.parent)
    with write_atomically(copy) as temporary:
        if isinstance(file, Path):
            shutil.copyfile(file, temporary)
        else:
            temporary.write_bytes(file.read_bytes())


def _count(archive: Path) -> int:
    log = EventLog(archive / LOG)
    return sum(log.count(stream) for stream in log.streams())


def _is_taken(target: Path) -> bool:
    """Whether something is where a folder is to be made."""
    return target.exists() and (not target.is_dir() or any(target.iterdir()))
