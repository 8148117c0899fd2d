"""Parquet files, which Spark lists and Arrow reads.

Which files make up a batch, once and for all, is Spark's to say and to remember; their rows need not pass through the
JVM to reach Arrow columns. Only files of this machine, and only what Arrow reads as Spark does, goes this way.
Spark is loaded when it is asked: what kinds of sources there are is known without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from .file_source import FileSource
from .records import RawBatch, RecordOrigin, concatenate, table_of_dicts, without_unreadable
from .source import RecordSource, SourceSpec
from .spark_source import Reading, column_of, reading
from .text_lines import checked_text
from .unreadable import GONE, UnreadableFile, file_state, reading_error

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["ParquetListing", "ParquetSource", "parquet_source", "read_files"]

# The options of Spark's file source that say which files there are; any other one says how to read them.
_LISTING_OPTIONS = {
    "maxFilesPerTrigger", "maxBytesPerTrigger", "latestFirst", "maxFileAge", "fileNameOnly", "maxCachedFiles",
    "discardCachedInputRatio", "cleanSource", "sourceArchiveDir", "pathGlobFilter", "recursiveFileLookup",
}  # fmt: skip
_SCHEMA = "path string, modificationTime timestamp, length bigint, content binary"


def parquet_source(of: SourceSpec) -> RecordSource:
    """Return the listing where the driver reads the files itself, else what Spark reads."""
    source = of.settings
    here = source.path is not None and urlsplit(source.path).scheme in {"", "file"}
    return ParquetListing(of) if here and set(source.options()) <= _LISTING_OPTIONS else ParquetSource(of)


class ParquetSource(FileSource):
    """Parquet files that Spark reads."""

    def columns(self, frame: DataFrame) -> dict[str, Column]:
        """All of them; time stamps of nanoseconds, which pandas writes, are numbers to Spark."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - as PySpark's own documentation has it; see above

        columns, path = super().columns(frame), self.path()
        for name in set() if path is None else _nanoseconds(path):
            columns[name] = F.timestamp_micros(F.floor(column_of(name) / 1000).cast("long"))
        return columns


class ParquetListing(FileSource):
    """Parquet files of this machine: Spark says which files make up a batch, the driver reads them."""

    has_files = False
    reads_files = True

    def reader(self, spark: SparkSession, options: dict[str, str], path: str | None) -> Reading:
        """What lists files instead of rows; what is in them is not read."""
        del spark, options, path
        return reading("binaryFile", _SCHEMA)

    def files(self, paths: Sequence[str]) -> RawBatch:
        """The rows of the files."""
        read, unreadable = read_files(paths, self.of.project.path(self.of.settings.path or "."))
        left = self.untaken(unreadable)
        return without_unreadable(read, left) if left else read


def _nanoseconds(path: str) -> set[str]:
    """Return the time stamps that are nanoseconds in the files."""
    files = Path(path).rglob("*.parquet") if Path(path).is_dir() else ()
    fields = (field for file in files for field in _schema(file))
    return {field.name for field in fields if pa.types.is_timestamp(field.type) and field.type.unit == "ns"}


def _schema(file: Path) -> pa.Schema:
    """The schema of a file; nothing of one that is broken, or gone."""
    try:
        return checked_text(pq.read_schema(file).empty_table()).schema
    except (FileNotFoundError, pa.ArrowInvalid):
        return pa.schema([])


def read_files(paths: Sequence[str], root: Path) -> tuple[RawBatch, list[UnreadableFile]]:
    """Read files one after the other; apart, those that cannot be read.

    Args:
        paths: of the files, in the order of arrival.
        root: the folder of the source; names of folders below it such as `day=2026-11-21` are columns.

    Raises:
        PipelineError: the file system refuses to read a file for now.
    """
    read = [(path, _table(path, root)) for path in paths]
    unreadable = [found for _, found in read if isinstance(found, UnreadableFile)]
    tables = [(path, found) for path, found in read if isinstance(found, pa.Table)]
    if not tables:
        return RawBatch(table_of_dicts([])), unreadable
    # A row group is a chunk; whatever follows works several times as fast on one.
    table = concatenate([table for _, table in tables]).combine_chunks()
    return RawBatch(table, (), RecordOrigin.of_files([(path, table.num_rows) for path, table in tables])), unreadable


def _table(path: str, root: Path) -> pa.Table | UnreadableFile:
    state = file_state(path)
    if state is None:
        return UnreadableFile(path, GONE, None)
    try:
        if not _has_partitions(Path(path), root):
            return checked_text(pq.ParquetFile(path, memory_map=True, coerce_int96_timestamp_unit="us").read())
        import pyarrow.dataset as ds  # noqa: PLC0415 - loads pandas, which most never need

        options = ds.ParquetReadOptions(coerce_int96_timestamp_unit="us")
        files = ds.ParquetFileFormat(read_options=options)
        return checked_text(
            ds.dataset(path, format=files, partitioning="hive", partition_base_dir=str(root)).to_table()
        )
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        if isinstance(error, OSError) and error.errno is not None:  # of the file system; Arrow's own have none
            raise reading_error(path, reason) from error
        return UnreadableFile(path, reason, state)


def _has_partitions(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and any("=" in part for part in path.relative_to(root).parent.parts)
