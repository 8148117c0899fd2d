"""Parquet files, which Spark lists and Arrow reads.

Which files make up a batch, once and for all, is Spark's to say and to remember; their rows need not pass through the
JVM to reach Arrow columns. Only files of this machine, and only what Arrow reads as Spark does, goes this way.
Spark is loaded when it is asked: what kinds of sources there are is known without it.
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import PipelineError
from .file_source import FileSource
from .records import Malformed, RawBatch, RecordOrigin, concatenate, table_of_dicts
from .source import RecordSource, SourceSpec
from .spark_source import column_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

__all__ = ["ParquetListing", "ParquetSource", "parquet_source", "read_files"]

# The options of Spark's file source that say which files there are; any other one says how to read them.
_LISTING_OPTIONS = {
    "maxFilesPerTrigger", "maxBytesPerTrigger", "latestFirst", "maxFileAge", "fileNameOnly", "maxCachedFiles",
    "discardCachedInputRatio", "cleanSource", "sourceArchiveDir", "pathGlobFilter", "recursiveFileLookup",
}  # fmt: skip
_SCHEMA = "path string, modificationTime timestamp, length bigint, content binary"
_PATH, _MODIFIED = "path", "modificationTime"


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

    def reader(self, spark: SparkSession, options: dict[str, str], path: str | None) -> DataStreamReader:
        """What lists files instead of rows; what is in them is not read."""
        del options, path
        return spark.readStream.format("binaryFile").schema(_SCHEMA)

    def columns(self, frame: DataFrame) -> dict[str, Column]:
        """The files and their times."""
        del frame
        return {name: column_of(name) for name in (_PATH, _MODIFIED)}

    def planned(self, batch: DataFrame) -> pa.Table | None:
        """The listing from the plan: a job would take as long as reading the files."""
        from py4j.protocol import Py4JError  # noqa: PLC0415 - see above

        try:
            parts = batch._jdf.queryExecution().toRdd().partitions()  # noqa: SLF001 - no public way without a job
            files = [(file.toPath().toString(), file.modificationTime()) for part in parts for file in part.files()]
        except (Py4JError, AttributeError, TypeError):
            return None
        return pa.table({_PATH: [path for path, _ in files], _MODIFIED: [modified for _, modified in files]})

    def records(self, rows: pa.Table, origin: RecordOrigin) -> RawBatch:
        """The rows of the listed files."""
        del origin
        return read_files(rows, self.of.project.path(self.of.settings.path or "."))


def _nanoseconds(path: str) -> set[str]:
    """Return the time stamps that are nanoseconds in the files."""
    files = Path(path).rglob("*.parquet") if Path(path).is_dir() else ()
    fields = (field for file in files for field in pq.read_schema(file))
    return {field.name for field in fields if pa.types.is_timestamp(field.type) and field.type.unit == "ns"}


def read_files(files: pa.Table, root: Path) -> RawBatch:
    """Read files in the order of arrival: by modification time, then by path; one that is no Parquet is malformed.

    Args:
        files: path and modification time, a row per file.
        root: the folder of the source; names of folders below it such as `day=2026-11-21` are columns.

    Raises:
        PipelineError: a file has gone, or the file system refuses.
    """
    ordered = files.sort_by([(_MODIFIED, "ascending"), (_PATH, "ascending")])
    paths = [path.removeprefix("file:") for path in ordered[_PATH].to_pylist()]
    read = [_table(path, root) for path in paths]
    malformed = tuple(found for found in read if isinstance(found, Malformed))
    tables = [table_of_dicts([]) if isinstance(found, Malformed) else found for found in read]
    starts = tuple(accumulate((table.num_rows for table in tables[:-1]), initial=0))
    # A row group is a chunk; whatever follows works several times as fast on one.
    table = concatenate(tables).combine_chunks()
    return RawBatch(table, malformed, RecordOrigin(lambda: paths, starts))


def _table(path: str, root: Path) -> pa.Table | Malformed:
    try:
        if not _has_partitions(Path(path), root):
            return pq.ParquetFile(path, memory_map=True, coerce_int96_timestamp_unit="us").read()
        import pyarrow.dataset as ds  # noqa: PLC0415 - loads pandas, which most never need

        options = ds.ParquetReadOptions(coerce_int96_timestamp_unit="us")
        files = ds.ParquetFileFormat(read_options=options)
        return ds.dataset(path, format=files, partitioning="hive", partition_base_dir=str(root)).to_table()
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        if isinstance(error, OSError) and error.errno is not None:  # of the file system; Arrow's own have none
            hint = "see that it is there and may be read; the batch is read again at the next start"
            raise PipelineError(f"cannot read {path}: {reason}", hint=hint) from error
        return Malformed(path, f"the file cannot be read: {reason}", path)


def _has_partitions(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and any("=" in part for part in path.relative_to(root).parent.parts)
