"""Which objects of a bucket a stream has, in files that Spark takes for the source's (docs/decisions/304).

Spark lists no bucket without jars for it. The engine does, and notes what is new, durably, in a file of a folder of its
state: one for each batch that it can be part of. These files are what Spark lists, remembers and puts into batches, and
what the journal knows; an object is in one of them only, whatever becomes of Spark's checkpoint.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ....config import Settings, SourceSettings
from ....errors import PipelineError
from ....storage import BucketFile, S3Options, bucket_files, folder_name, make_folder, write_atomically

__all__ = ["ListedObjects", "is_object_source", "listings_of"]

_FORMATS = frozenset({"json", "csv", "parquet"})
_ENDING = ".objects"
_MOST = "maxFilesPerTrigger"
_OF_FOLDERS = frozenset({"cleanSource", "sourceArchiveDir", "latestFirst", "pathGlobFilter", "recursiveFileLookup"})
"""Options that say what becomes of files, and which there are, where Spark lists them."""
_MILLISECOND_NS = 1_000_000


def is_object_source(source: SourceSettings | None) -> bool:
    """Whether kaicep itself lists a source: `s3://…` in a format that it reads. `s3a://…` is for Spark's jars."""
    return (
        source is not None and source.path is not None and source.path.startswith("s3://") and source.format in _FORMATS
    )


def listings_of(settings: Settings) -> dict[str, ListedObjects]:
    """The objects of the streams that have some, by stream."""
    sources = {name: stream.source for name, stream in settings.streams.items()}
    return {
        name: ListedObjects(name, source, settings)
        for name, source in sources.items()
        if source is not None and is_object_source(source)
    }


class ListedObjects:
    """The objects of one stream.

    Args:
        stream: its name.
        source: a URL of objects.
        settings: the project's.

    Attributes:
        folder: of the files that say which objects there are.

    Raises:
        PipelineError: the source has an option that objects do not have.
    """

    def __init__(self, stream: str, source: SourceSettings, settings: Settings) -> None:
        self._url, self._options = source.path or "", settings.s3.options
        self.folder = settings.path(settings.engine.state).absolute() / "objects" / folder_name(stream)
        strange = _OF_FOLDERS & source.options().keys()
        if strange:
            raise PipelineError(
                f"streams.{stream}.source: objects in a bucket have no '{min(strange)}'",
                hint="leave it out; lifecycle rules of the bucket remove objects that were read",
            )
        self._most = int(source.options().get(_MOST, 0)) or None
        self._known: set[str] | None = None

    @property
    def bounded(self) -> bool:
        """Whether a batch has so many objects at the most."""
        return self._most is not None

    def find(self, patience: float | None = None) -> int:
        """Note the objects that are new; how many they are.

        Args:
            patience: for so many seconds a bucket that does not answer is asked again; `None`: for a minute.

        Raises:
            PipelineError: it does not answer, or refuses.
            OSError: the file system refuses.
        """
        if self._known is None:
            self._known = {key for listing in self._listings() for key in _keys(listing)}
        there = bucket_files(self._url, self._options, patience=patience, empty=True)
        new = [
            key for file in there if file.name[0] not in "._" and (key := file.folder.key(file.name)) not in self._known
        ]
        pieces = [new[i : i + self._most] for i in range(0, len(new), self._most)] if self._most else [new]
        for piece in filter(None, pieces):
            self._write(piece)
            self._known |= {*piece}
        return len(new)

    def _write(self, keys: Sequence[str]) -> None:
        """Write a file behind all that there are, in time as well: so they are in order."""
        make_folder(self.folder)
        last = max(self._listings(), default=None)
        number = 1 if last is None else int(last.name.removesuffix(_ENDING)) + 1
        since = 0 if last is None else last.stat().st_mtime_ns + _MILLISECOND_NS
        moment = max(time.time_ns(), since)
        with write_atomically(self.folder / f"{number:012}{_ENDING}") as temporary:
            temporary.write_text("".join(f"{json.dumps(key)}\n" for key in keys), encoding="utf-8")
            os.utime(temporary, ns=(moment, moment))

    def _listings(self) -> Iterator[Path]:
        return self.folder.glob(f"[0-9]*{_ENDING}")


def objects_in(listing: Path, url: str, options: S3Options) -> list[BucketFile]:
    """The objects of a file, in the order of their names.

    Raises:
        OSError: it cannot be read.
    """
    return [BucketFile.of(url, key, options) for key in _keys(listing)]


def _keys(listing: Path) -> Iterator[str]:
    return (json.loads(line) for line in listing.read_text(encoding="utf-8").splitlines())
