"""A copy of an archive, complete by itself, made also while an engine writes."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

from ..config import Settings
from ..errors import ArchiveError, Place
from ..storage import make_folder, replacing
from .folder_layout import ADVANCES, INTAKE, LOG, MATCHES, ORIGINS, STORE, TAKEN, check_version, prepare
from .log import Catalogue, EventLog, steadily
from .store import copy_of_store


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
    source = settings.path(settings.archive.path)
    require(source)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ArchiveError("the backup's folder is not empty", place=Place(str(target)), hint="name a new one")
    try:
        prepare(target)
        if (source / STORE).is_dir():
            with copy_of_store(source, timeout) as store:
                store.backup(target / STORE)
        log = EventLog(source / LOG)
        for stream in log.streams():
            steadily(partial(_copy_segments, log.catalogue(stream), target / LOG))
        _copy_matches(source, target)
        for note in (source / ADVANCES).glob("[0-9]*.json"):
            _copy(note, target / ADVANCES / note.name)
        _copy_intake(source, target)
    except (OSError, RuntimeError) as error:
        raise ArchiveError(
            f"the backup cannot be made: {error}", place=Place(str(target)), hint="name a folder with enough space"
        ) from error
    copied = EventLog(target / LOG)
    return sum(copied.count(stream) for stream in copied.streams())


def require(archive: Path) -> None:
    """Refuse a folder that is no archive.

    Raises:
        ArchiveError: there is none, or a newer kaicep wrote it.
    """
    if not (archive / LOG).is_dir():
        raise ArchiveError("there is no archive", place=Place(str(archive)), hint="run the project first")
    check_version(archive)


def _copy_matches(source: Path, target: Path) -> None:
    """Copy the rows, then what they come from, which is there before them."""
    matches = EventLog(source / MATCHES)
    for query in matches.streams():
        steadily(partial(_copy_segments, matches.catalogue(query), target / MATCHES))
    for origin in (source / ORIGINS).glob("[0-9a-f]*.json"):
        _copy(origin, target / ORIGINS / origin.name)


def _copy_intake(source: Path, target: Path) -> None:
    """Copy what no engine has taken yet; the note of what was taken first: what comes twice is recognised."""
    note = source / INTAKE / TAKEN
    if note.exists():
        _copy(note, target / INTAKE / TAKEN)
    intake = EventLog(source / INTAKE)
    for stream in intake.streams():
        steadily(partial(_copy_segments, intake.catalogue(stream), target / INTAKE))


def _copy_segments(catalogue: Catalogue, log: Path) -> None:
    for one in catalogue.segments():
        copy = log / catalogue.folder.name / one.path.name
        if not copy.exists():
            _copy(one.path, copy)


def _copy(file: Path, copy: Path) -> None:
    make_folder(copy.parent)
    with replacing(copy) as temporary:
        shutil.copyfile(file, temporary)
