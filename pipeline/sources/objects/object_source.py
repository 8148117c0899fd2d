"""Objects of a bucket that a stream is read from: JSON, CSV or Parquet, as files of these formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ....errors import PipelineError
from ....storage import UNPACKING_ERRORS, BucketFile, make_folder, unpack
from ..file_listing import RecordFile
from ..file_source import LineSource
from ..parquet_source import ParquetListing
from ..records import Malformed, RawBatch, RecordOrigin, concatenate, table_of_dicts
from ..source import RecordSource, SourceSpec
from ..text_lines import checked_text
from .listed_objects import ListedObjects, objects_in

__all__ = ["ObjectSource"]

_EVER = "365000d"


class ObjectSource(ParquetListing):
    """Files that say which objects there are, which Spark lists and puts into batches.

    Args:
        of: where the stream comes from.
        kind: reads files of its format.
    """

    def __init__(self, of: SourceSpec, kind: Callable[[SourceSpec], RecordSource]) -> None:
        super().__init__(of)
        self._kind = kind(of)
        self._listed = ListedObjects(of.name, of.settings, of.project)

    def options(self) -> dict[str, str]:
        """How Spark lists: one file at a time, where a batch has so many objects at the most."""
        return {"maxFileAge": _EVER} | ({"maxFilesPerTrigger": "1"} if self._listed.bounded else {})

    def path(self) -> str:
        """The folder of the files."""
        make_folder(self._listed.folder)
        return str(self._listed.folder)

    def files(self, paths: Sequence[str]) -> RawBatch:
        """The records of the objects that listed files name."""
        return self.read(self.objects(paths))

    def objects(self, paths: Sequence[str]) -> list[BucketFile]:
        """The objects of listed files, in order."""
        url, options = self.of.settings.path or "", self.of.project.s3.options
        return [one for path in paths for one in objects_in(Path(path), url, options)]

    def are_there(self, records: Sequence[RecordFile]) -> bool:
        """Whether objects are there still: of a batch that was begun before they may have gone since."""
        objects = {one.name: one for one in records if isinstance(one, BucketFile)}
        some = next(iter(objects.values()), None)
        return some is None or all(some.folder.each(lambda name: objects[name].exists(), list(objects)))

    def read(self, objects: Sequence[BucketFile]) -> RawBatch:
        """The records of objects, one after the other; of one that is broken or gone there is a note.

        Raises:
            PipelineError: the bucket does not answer, or refuses.
        """
        if not objects:
            return RawBatch(table_of_dicts([]))
        folder = objects[0].folder
        by_name = {one.name: one for one in objects}
        contents = folder.each(lambda name: _content(by_name[name]), list(by_name))
        notes = [found for found in contents if isinstance(found, Malformed)]
        read = [(one, found) for one, found in zip(by_name.values(), contents, strict=True) if isinstance(found, bytes)]
        if isinstance(self._kind, LineSource):
            batch = self._kind.texts([(str(one), content) for one, content in read])
        else:
            batch = self._tables(read, notes)
        return RawBatch(
            batch.table, (*batch.malformed, *notes), batch.origin, batch.numbers, batch.texts, batch.columns
        )

    def _tables(self, read: Sequence[tuple[BucketFile, bytes]], notes: list[Malformed]) -> RawBatch:
        """The rows of Parquet; of an object that is none, a note."""
        tables = []
        for one, content in read:
            try:
                file = pq.ParquetFile(pa.BufferReader(content), coerce_int96_timestamp_unit="us")
                tables.append((str(one), checked_text(file.read())))
            except (OSError, pa.ArrowException) as error:
                notes.append(_note(one, str(error).splitlines()[0]))
        if not tables:
            return RawBatch(table_of_dicts([]))
        table = concatenate([table for _, table in tables]).combine_chunks()
        return RawBatch(table, (), RecordOrigin.of_files([(name, table.num_rows) for name, table in tables]))


def _content(one: BucketFile) -> bytes | Malformed:
    """What is in an object, unpacked; a note, if it is gone or cannot be unpacked."""
    try:
        return unpack(one.name, one.unread().read_bytes())
    except FileNotFoundError:
        return _note(one, "it was gone before it was read")
    except PipelineError:
        raise
    except UNPACKING_ERRORS as error:
        return _note(one, str(error) or "it breaks off before its end")


def _note(one: BucketFile, reason: str) -> Malformed:
    return Malformed(str(one), f"the object cannot be read: {reason}; give it again under another name", str(one))
