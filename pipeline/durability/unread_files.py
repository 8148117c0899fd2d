"""Whether Spark would find anything to read, without starting it: its checkpoint against the folders of the sources.

Spark's checkpoint has a number for each batch that was planned (`offsets/`) and done (`commits/`), and for each source
the files that were ever taken into a batch (`sources/<number>/`, every tenth of them with all before it). Nothing is
unread when the last planned batch is done, no source has noted a file behind it, and every file that lies there is
noted. Whatever this does not understand counts as unread: Spark is asked then. It never asks whether a file has
changed, as Spark does not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ...config import Settings
from ..sources import SOURCES
from .checkpoint_generation import Generation

__all__ = ["is_all_read"]

_COMPACT = ".compact"
_NO_OFFSET = "-"
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
        offsets = _offsets_done(generation.checkpoint)
        if offsets is None or len(offsets) != len(folders) + 1:
            return False
        sources = zip([*folders, generation.heartbeats], offsets, strict=True)
        logs = generation.checkpoint / "sources"
        return all(_is_read(folder, logs / str(i), offset) for i, (folder, offset) in enumerate(sources))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _folders(settings: Settings) -> list[Path] | None:
    """The folder, or the file, of each source, in Spark's order; `None`: one of them is something else."""
    found = []
    for stream in settings.streams.values():
        source = stream.source
        if source is None:
            continue
        if source.format not in SOURCES or source.path is None or urlsplit(source.path).scheme:
            return None
        found.append(settings.path(source.path).absolute())
        if not found[-1].exists():
            return None
    return found


def _offsets_done(checkpoint: Path) -> list[int | None] | None:
    """How far each source is behind the last batch; `None`: there is none, or it is not done."""
    planned, done = _numbered(checkpoint / "offsets"), _numbered(checkpoint / "commits")
    if not planned or not done or max(planned) != max(done):
        return None
    _version, _settings, *offsets = planned[max(planned)].read_text(encoding="utf-8").splitlines()
    return [None if text == _NO_OFFSET else int(json.loads(text)["logOffset"]) for text in offsets]


def _is_read(folder: Path, log: Path, offset: int | None) -> bool:
    """Whether a source has noted every file of its folder, and none behind the batch that is done."""
    noted = _numbered(log) if log.is_dir() else {}
    if max(noted, default=None) != offset:
        return False
    files = set(_files(folder))
    return files <= (set(_noted(noted)) if files else set())


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


def _noted(log: dict[int, Path]) -> Iterator[str]:
    """The files that a source has taken into batches, by its numbered notes.

    Raises:
        ValueError: a note is lost, or not as Spark writes them.
    """
    first = max((number for number, path in log.items() if path.suffix == _COMPACT), default=0)
    for number in range(first, max(log) + 1):
        version, *entries = log[number].read_text(encoding="utf-8").splitlines()
        if version != "v1":
            raise ValueError(version)
        for entry in entries:
            yield os.path.normpath(unquote(urlsplit(json.loads(entry)["path"]).path))


def _numbered(folder: Path) -> dict[int, Path]:
    names = {path: path.name.removesuffix(_COMPACT) for path in folder.iterdir()}
    return {int(name): path for path, name in names.items() if name.isdigit()}
