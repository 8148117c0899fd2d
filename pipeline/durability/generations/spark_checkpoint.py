"""Spark's checkpoint, as it lies in its folder: which batches were planned and done, and which files each one has.

It has a number for each batch that was planned (`offsets/`) and done (`commits/`), and for each source the files that
were ever taken into a batch (`sources/<number>/`, every tenth of them with all before it). Spark syncs none of that:
after a power cut any of it may be empty, torn or missing. What this does not understand counts as damaged, and a
damaged checkpoint is begun anew. Hadoop writes the checksums of a file beside it (`.<name>.crc`).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = ["SparkCheckpoint"]

_COMPACT = ".compact"
_NO_OFFSET = "-"
_VERSION = "v1"
_DAMAGES = (OSError, ValueError, KeyError, TypeError, IndexError)


class SparkCheckpoint:
    """One checkpoint.

    Args:
        folder: its folder; nothing need be there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def planned(self) -> int:
        """The last batch that was planned; -1: none was."""
        return max(_numbered(self._folder / "offsets"), default=-1)

    @property
    def committed(self) -> int:
        """The last batch that was done; -1: none was."""
        return max(_numbered(self._folder / "commits"), default=-1)

    def damage(self, sources: int, without_files: Collection[int] = ()) -> str | None:
        """What is wrong with it, in a few words; `None`: Spark can go on from it, and delivers all that it has planned.

        Args:
            sources: how many there are; perhaps one more, for batches without records.
            without_files: those, by number, whose notes are not about files.
        """
        try:
            return self._damage(sources, without_files)
        except _DAMAGES as error:
            told = str(error)
            return told if str(self._folder) in told else f"{self._folder}: {told}"

    def offsets(self, batch: int) -> list[int | None]:
        """How far each source is behind a batch; `None`: it had nothing yet.

        Raises:
            OSError, ValueError, KeyError, TypeError: the file is not as Spark writes it, or a source has no files.
        """
        if batch < 0:
            return []
        texts = self._sources_of(batch)
        return [None if text == _NO_OFFSET else int(json.loads(text)["logOffset"]) for text in texts]

    def positions(self, batch: int) -> list[dict[str, dict[str, int]]]:
        """How far each source is behind a batch, as sources without files note it; of others, and in doubt, nothing."""
        try:
            contents = [None if text == _NO_OFFSET else json.loads(text) for text in self._sources_of(batch)]
        except _DAMAGES:
            return []
        return [content if isinstance(content, dict) and "logOffset" not in content else {} for content in contents]

    def files(self, batch: int) -> list[list[str]]:
        """The files of a batch by source, as encoded paths; of a source that has no files, none.

        Raises:
            OSError, ValueError, KeyError, TypeError, IndexError: a note is lost, or not as Spark writes them.
        """
        texts, before = self._sources_of(batch), self._sources_of(batch - 1) if batch else []
        ranges = [(_note(b), _note(t)) for b, t in zip(before or [_NO_OFFSET] * len(texts), texts, strict=True)]
        return [list(self._noted(source, *of)) for source, of in enumerate(ranges)]

    def all_files(self, source: int) -> Iterator[str]:
        """The files that a source has taken into batches, as encoded paths.

        Raises:
            OSError, ValueError, KeyError, TypeError: a note is lost, or not as Spark writes them.
        """
        notes = self.notes(source)
        first = max((number for number, path in notes.items() if path.suffix == _COMPACT), default=0)
        for number in range(first, max(notes, default=-1) + 1):
            for entry in _lines(notes[number]):
                yield json.loads(entry)["path"]

    @property
    def sources(self) -> range:
        """The sources that have taken a file, by number, and perhaps others between them."""
        folder = self._folder / "sources"
        numbers = [int(path.name) for path in folder.iterdir() if path.name.isdigit()] if folder.is_dir() else []
        return range(max(numbers, default=-1) + 1)

    def notes(self, source: int) -> dict[int, Path]:
        """The notes of a source by number."""
        return _numbered(self._folder / "sources" / str(source))

    def _damage(self, sources: int, without_files: Collection[int]) -> str | None:
        if not self._folder.is_dir() or not any(self._folder.iterdir()):
            return None
        json.loads(_verified(self._folder / "metadata"))["id"]
        planned, committed = self.planned, self.committed
        if not planned - 1 <= committed <= planned:
            return f"batch {planned} was planned, and batch {committed} done"
        if committed >= 0:
            _lines(_numbered(self._folder / "commits")[committed])
        for batch in (planned - 1, planned):
            if batch >= 0 and not sources <= len(self._sources_of(batch)) <= sources + 1:
                return f"batch {batch} has other sources"
        offsets = self._sources_of(planned) if planned >= 0 else [_NO_OFFSET] * (sources + 1)
        for source, text in enumerate(offsets):
            if source in without_files:
                json.loads("null" if text == _NO_OFFSET else text)
                continue
            noted = sum(1 for _ in self.all_files(source))
            if max(self.notes(source), default=-1) < _note(text) or (_note(text) >= 0 and not noted):
                return f"source {source} has lost the files of a batch"
        return None

    def _sources_of(self, batch: int) -> Sequence[str]:
        _settings, *sources = _lines(self._folder / "offsets" / str(batch))
        json.loads(_settings)
        return sources

    def _noted(self, source: int, after: int, upto: int) -> Iterator[str]:
        """The files in the notes behind one and up to another."""
        for number in range(after + 1, upto + 1):
            notes = self._folder / "sources" / str(source)
            plain = notes / str(number)
            if plain.exists():
                yield from (json.loads(entry)["path"] for entry in _lines(plain))
                continue
            # It is put together with all before it, and may be long: few of its lines are read.
            own = f'"batchId":{number}}}'
            entries = [entry for entry in _lines(notes / f"{number}{_COMPACT}") if entry.endswith(own)]
            if not entries:
                raise ValueError(f"note {number} has none of its files")
            yield from (json.loads(entry)["path"] for entry in entries)


def _note(text: str) -> int:
    """The last note of a source, by its offset; none of one that has nothing yet, or no files."""
    content: Any = None if text == _NO_OFFSET else json.loads(text)
    return int(content["logOffset"]) if isinstance(content, dict) and "logOffset" in content else -1


def _lines(path: Path) -> list[str]:
    """What stands in a file, without its version.

    Raises:
        OSError, ValueError: it cannot be read, or is not as it was written.
    """
    version, *lines = _verified(path).splitlines()
    if version != _VERSION:
        raise ValueError(f"{path.name} has version '{version}'")
    return lines


def _verified(path: Path) -> str:
    content = path.read_bytes()
    sums = path.with_name(f".{path.name}.crc")
    if sums.exists() and sums.read_bytes() != _checksums(content):
        raise ValueError(f"{path} is not as it was written")
    return content.decode()


def _checksums(content: bytes) -> bytes:
    """What Hadoop writes beside a file: a head, the length of a chunk, and the checksum of each."""
    size = 512
    chunks = (content[start : start + size] for start in range(0, len(content), size))
    return b"crc\0" + size.to_bytes(4, "big") + b"".join(zlib.crc32(chunk).to_bytes(4, "big") for chunk in chunks)


def _numbered(folder: Path) -> dict[int, Path]:
    """The files of a folder whose names are numbers."""
    if not folder.is_dir():
        return {}
    names = {path: path.name.removesuffix(_COMPACT) for path in folder.iterdir()}
    return {int(name): path for path, name in names.items() if name.isdigit()}
