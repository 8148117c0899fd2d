"""A backup put back into the place of an archive."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

from ..config import Settings
from ..errors import ArchiveError, Place
from .backup import require
from .folder_layout import LOG
from .log import EventLog


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
    require(source)
    target = settings.path(settings.archive.path)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ArchiveError(
            "the project has an archive",
            place=Place(str(target)),
            hint="stop the engine and move that folder away first, or name another path under [archive]",
        )
    unfinished = target.with_name(f"{target.name}.{uuid.uuid4().hex}.unfinished")
    try:
        shutil.copytree(source, unfinished)
        if target.exists():
            target.rmdir()
        unfinished.rename(target)
    except OSError as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise ArchiveError(
            f"the backup cannot be restored: {error}",
            place=Place(str(target)),
            hint="see whether there is enough space",
        ) from error
    log = EventLog(target / LOG)
    return sum(log.count(stream) for stream in log.streams())
