"""Whether Spark would find anything to read, without starting it: its checkpoint against the folders of the sources.

Nothing is unread when the last planned batch is done, no source has noted a file behind it, and every file that lies
there is noted. Whatever this does not understand counts as unread: Spark is asked then. It never asks whether a file
has changed, as Spark does not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ....config import Settings
from ...sources import SOURCES, listings_of
from .checkpoint_generation import Generation
from .spark_checkpoint import SparkCheckpoint

__all__ = ["is_all_read"]

_ALWAYS_LISTED = ("_common_metadata", "_metadata")


def is_all_read(settings: Settings, generation: Generation) -> bool:
    """Whether a batch could only be empty: every file of every source is in one that is done.

    Args:
        settings: of the project; a source that is no folder of this machine may always have something.
        generation: of the checkpoint in force.
    """
    folders = _folders(settings)
    if folders is None:
        return False
    try:
        checkpoint = SparkCheckpoint(generation.checkpoint)
        offsets = _offsets_done(checkpoint)
        if offsets is None or len(offsets) != len(folders) + 1:
            return False
        sources = zip([*folders, generation.heartbeats], offsets, strict=True)
        return all(_is_read(folder, checkpoint, i, offset) for i, (folder, offset) in enumerate(sources))
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return False


def _folders(settings: Settings) -> list[Path] | None:
    """The folder, or the file, of each source, in Spark's order; `None`: one of them is something else."""
    found = []
    objects = listings_of(settings)
    for name, stream in settings.streams.items():
        source = stream.source
        if source is None:
            continue
        listed = objects.get(name)
        if listed is not None:
            found.append(listed.folder)
        elif source.format not in SOURCES or source.path is None or urlsplit(source.path).scheme:
            return None
        else:
            found.append(settings.path(source.path).absolute())
        if not found[-1].exists():
            return None
    return found


def _offsets_done(checkpoint: SparkCheckpoint) -> list[int | None] | None:
    """How far each source is behind the last batch; `None`: there is none, or it is not done."""
    if checkpoint.planned < 0 or checkpoint.planned != checkpoint.committed:
        return None
    return checkpoint.offsets(checkpoint.planned)


def _is_read(folder: Path, checkpoint: SparkCheckpoint, source: int, offset: int | None) -> bool:
    """Whether a source has noted every file of its folder, and none behind the batch that is done."""
    if max(checkpoint.notes(source), default=None) != offset:
        return False
    files = set(_files(folder))
    noted = (os.path.normpath(unquote(urlsplit(path).path)) for path in checkpoint.all_files(source))
    return files <= (set(noted) if files else set())


def _files(folder: Path) -> Iterator[str]:
    """All files that Spark may see below a folder, hidden ones passed over; a file itself."""
    if folder.is_file():
        yield os.path.normpath(folder)
    for place, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [name for name in folders if not _hidden(name)]
        yield from (os.path.normpath(Path(place, name)) for name in files if not _hidden(name))


def _hidden(name: str) -> bool:
    hidden = name.startswith(".") or name.endswith("._COPYING_") or (name.startswith("_") and "=" not in name)
    return hidden and not name.startswith(_ALWAYS_LISTED)
