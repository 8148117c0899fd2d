"""Columnar files that Spark lists and Arrow reads.

Which files make up a batch, once and for all, is Spark's to say and to remember; their rows need not pass through the
JVM to reach Arrow columns. Only files of this machine, and only what Arrow reads as Spark does, goes this way.
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from py4j.protocol import Py4JError
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as PySpark's own documentation has it
from pyspark.sql.streaming.readwriter import DataStreamReader

from ...config import SourceSettings
from ...errors import PipelineError
from .records import RawBatch, RecordOrigin, concatenate

__all__ = ["is_listed", "list_files", "listing", "planned_files", "read_files"]

# The options of Spark's file source that say which files there are; any other one says how to read them.
_LISTING_OPTIONS = {
    "maxFilesPerTrigger", "maxBytesPerTrigger", "latestFirst", "maxFileAge", "fileNameOnly", "maxCachedFiles",
    "discardCachedInputRatio", "cleanSource", "sourceArchiveDir", "pathGlobFilter", "recursiveFileLookup",
}  # fmt: skip
_SCHEMA = "path string, modificationTime timestamp, length bigint, content binary"
_PATH, _MODIFIED = "path", "modificationTime"


def is_listed(source: SourceSettings) -> bool:
    """Tell whether the driver reads the files of a source itself."""
    here = source.path is not None and urlsplit(source.path).scheme in {"", "file"}
    return source.format == "parquet" and here and set(source.options()) <= _LISTING_OPTIONS


def list_files(reader: DataStreamReader) -> DataStreamReader:
    """Make a reader one of files instead of rows; what is in them is not read."""
    return reader.format("binaryFile").schema(_SCHEMA)


def listing() -> dict[str, Column]:
    """Return the columns that `read_files` needs of such files."""
    return {name: F.col(name) for name in (_PATH, _MODIFIED)}


def planned_files(batch: DataFrame) -> pa.Table | None:
    """Return the listing of a batch from Spark's plan, without a job: that would take as long as reading the files.

    Returns:
        `None` where the plan does not show it; the batch's rows do then.
    """
    try:
        parts = batch._jdf.queryExecution().toRdd().partitions()  # noqa: SLF001 - no public way without a job
        files = [(file.toPath().toString(), file.modificationTime()) for part in parts for file in part.files()]
    except (Py4JError, AttributeError, TypeError):
        return None
    return pa.table({_PATH: [path for path, _ in files], _MODIFIED: [modified for _, modified in files]})


def read_files(files: pa.Table, root: Path) -> RawBatch:
    """Read files in the order of arrival: by modification time, then by path.

    Args:
        files: the columns of `listing`, a row per file.
        root: the folder of the source; names of folders below it such as `day=2026-11-21` are columns.

    Raises:
        PipelineError: a file cannot be read.
    """
    ordered = files.sort_by([(_MODIFIED, "ascending"), (_PATH, "ascending")])
    paths = [path.removeprefix("file:") for path in ordered[_PATH].to_pylist()]
    tables = [_table(path, root) for path in paths]
    starts = tuple(accumulate((table.num_rows for table in tables[:-1]), initial=0))
    # A row group is a chunk; whatever follows works several times as fast on one.
    return RawBatch(concatenate(tables).combine_chunks(), origin=RecordOrigin(lambda: paths, starts))


def _table(path: str, root: Path) -> pa.Table:
    try:
        if not _has_partitions(Path(path), root):
            return pq.ParquetFile(path, memory_map=True, coerce_int96_timestamp_unit="us").read()
        options = ds.ParquetReadOptions(coerce_int96_timestamp_unit="us")
        files = ds.ParquetFileFormat(read_options=options)
        return ds.dataset(path, format=files, partitioning="hive", partition_base_dir=str(root)).to_table()
    except (OSError, pa.ArrowException) as error:
        raise PipelineError(
            f"cannot read {path}: {str(error).splitlines()[0]}",
            hint="mend or remove the file; the batch is read again at the next start",
        ) from error


def _has_partitions(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and any("=" in part for part in path.relative_to(root).parent.parts)
