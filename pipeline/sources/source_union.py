"""The sources of a project as one streaming DataFrame, and its batches as raw records per stream, in order of arrival.

Spark reads whole lines of text formats and the driver parses them (Arrow does that several times as fast, and says
which line is malformed); of Parquet files on this machine it sends the names, and the driver reads them; other tables
(ORC, any other format) come as they are. What tells the order of arrival is sent along as numbers; the files' names
are asked for when a record's place is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial, reduce
from itertools import accumulate, groupby
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as PySpark's own documentation has it
from pyspark.sql import types as T  # noqa: N812 - likewise

from ...config import Settings, SourceSettings, StreamSettings
from ...errors import PipelineError
from .listed_files import is_listed, list_files, listing, planned_files, read_files
from .records import RawBatch, RecordOrigin
from .text_formats import declared_columns, parse_lines, text_encoding

__all__ = ["read_streams", "source_streams", "unpack"]

_LINES = {"json", "csv"}
_WITH_SCHEMA = {"parquet", "orc"}
_FILES = _LINES | _WITH_SCHEMA | {"text", "avro", "binaryFile", "xml"}

# Columns of the DataFrame beside those of the streams, which are called `<number of the stream>:<name>`.
_STREAM, _MODIFIED, _FILE, _START = "_stream", "_modified", "_file", "_start"
_METADATA = {_MODIFIED: "file_modification_time", _FILE: "file_path", _START: "file_block_start"}
_OWN = {_STREAM, *_METADATA}

# Arrow's strings count their bytes by 32 bits; the parser adds a line break to each.
_MOST_BYTES = 2_000_000_000
_NOISE = re.compile(r"^: ?[\w.$]+: |\[[A-Z_.]+\] | SQLSTATE: \w+$")

_SPARK_TYPES: dict[str, T.DataType] = {
    "boolean": T.BooleanType(), "integer": T.LongType(), "int": T.LongType(), "long": T.LongType(),
    "short": T.LongType(), "byte": T.LongType(), "decimal": T.DoubleType(), "double": T.DoubleType(),
    "float": T.DoubleType(), "dateTime": T.TimestampType(),
}  # fmt: skip


def source_streams(settings: Settings) -> list[tuple[str, StreamSettings, SourceSettings]]:
    """Return the streams that have a source, in the order of the project file: name, stream, source."""
    return [(name, stream, stream.source) for name, stream in settings.streams.items() if stream.source is not None]


def read_streams(spark: SparkSession, settings: Settings, heartbeats: Path | None = None) -> DataFrame:
    """One streaming DataFrame of all streams of a project; `unpack` reads its batches.

    A folder that does not exist yet is made: it is where files will be dropped.

    Args:
        spark: the session.
        settings: the project's.
        heartbeats: a folder; each new file in it makes a batch, if need be one without records.

    Raises:
        PipelineError: no stream has a source, or Spark cannot read one.
    """
    streams = source_streams(settings)
    if not streams:
        raise PipelineError(
            "the project has no stream with a source", hint="add source = { format = …, path = … } to a stream"
        )
    frames = [_read(spark, settings, number, entry) for number, entry in enumerate(streams)]
    if heartbeats is not None:
        frames.append(_heartbeats(spark, heartbeats))
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)


def unpack(batch: DataFrame, settings: Settings) -> dict[str, RawBatch]:
    """Return the records of a batch of `read_streams`, stream by stream; a stream without records in it is left out.

    Order of arrival: modification time of the file, its path, offset in the file; without files as Spark delivers.
    Places may be asked for while the batch is being handled (`foreachBatch`), not later.

    Raises:
        PipelineError: Spark cannot read a file, or a stream's lines are too many for one batch.
    """
    streams = source_streams(settings)
    if len(streams) == 1 and is_listed(streams[0][2]):
        files = planned_files(batch)
        if files is not None:
            return {streams[0][0]: _listed(settings, streams[0][2], files)} if files.num_rows else {}
    try:
        table = batch.select(*_needed_columns(batch, several=len(streams) > 1)).toArrow()
    except (PySparkException, Py4JError) as error:
        raise PipelineError(
            f"Spark cannot read a batch: {first_line(error)}",
            hint="mend or remove the file; the batch is read again at the next start",
        ) from error
    paths = cache(partial(_paths, batch))
    runs = _in_order_of_arrival(_runs(table), paths)
    found = {}
    for number, (name, stream, source) in enumerate(streams):
        own = [run for run in runs if run.stream == number]
        # Spark delivers pieces of 10,000 rows; whatever follows works several times as fast on one.
        raw = _rows(table, own, f"{number}:").combine_chunks()
        if raw.num_rows and is_listed(source):
            found[name] = _listed(settings, source, raw)
        elif raw.num_rows:
            found[name] = _records(raw, own, partial(_names, batch, number, own, paths), stream, source)
    return found


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring rows of one stream, one file (a digest of its path) and one split of it."""

    stream: int
    modified: int
    file: int
    offset: int
    first: int
    length: int


def _read(
    spark: SparkSession, settings: Settings, number: int, entry: tuple[str, StreamSettings, SourceSettings]
) -> DataFrame:
    name, stream, source = entry
    options = source.options()
    if options.get("cleanSource", "off").lower() != "off":
        # A batch that is planned again may name files that another reader has cleaned away: the archive has them.
        options.setdefault("ignoreMissingFiles", "true")
    listed = is_listed(source)
    is_file = source.format in _FILES
    path = _path(settings, name, source) if is_file or source.path is not None else None
    reader = spark.readStream.format("text" if source.format in _LINES else source.format)
    try:
        if listed:
            reader = list_files(spark.readStream)
        elif "schema" in options:
            reader = reader.schema(options.pop("schema"))
        elif is_file and source.format not in _LINES:
            reader = reader.schema(_schema(spark, source.format, options, path, stream))
        frame = reader.options(**options).load(path)
    except (PySparkException, Py4JError) as error:
        raise PipelineError(
            f"streams.{name}: Spark cannot read the source: {first_line(error)}",
            hint=f"check format, path and options of streams.{name}.source",
        ) from error
    if listed:
        return frame.select(F.lit(number).alias(_STREAM), *(c.alias(f"{number}:{n}") for n, c in listing().items()))
    converted = _converted(source, path)
    columns = [converted.get(column, _column(column)).alias(f"{number}:{column}") for column in frame.columns]
    arrival = [F.col(f"_metadata.{field}").alias(own) for own, field in _METADATA.items()] if is_file else []
    return frame.select(F.lit(number).alias(_STREAM), *arrival, *columns)


def _listed(settings: Settings, source: SourceSettings, files: pa.Table) -> RawBatch:
    return read_files(files, settings.path(source.path or "."))


def _heartbeats(spark: SparkSession, folder: Path) -> DataFrame:
    """A source without rows: Spark sees that there is something new, and plans nothing to read it."""
    folder.mkdir(parents=True, exist_ok=True)
    files = spark.readStream.format("text").load(str(folder))
    return files.where(F.lit(False)).select(F.lit(0).alias(_STREAM))  # noqa: FBT003 - a value


def _path(settings: Settings, name: str, source: SourceSettings) -> str:
    """Return the path of a file source, made if it is a folder of this machine that does not exist yet."""
    if source.path is None:
        raise PipelineError(
            f"streams.{name}: a source of the format '{source.format}' needs a path",
            hint='write source = { format = "…", path = "folder/" }',
        )
    if urlsplit(source.path).scheme:
        return source.path
    path = settings.path(source.path).absolute()
    if not set("*?[{") & set(source.path):
        hint = "name a folder in which files will be dropped"
        if path.is_file():
            raise PipelineError(f"streams.{name}: {path} is no folder", hint=hint)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = f"streams.{name}: cannot make the folder {path}: {error.strerror}"
            raise PipelineError(reason, hint=hint) from error
    return str(path)


def _schema(
    spark: SparkSession, file_format: str, options: dict[str, str], path: str | None, stream: StreamSettings
) -> T.StructType:
    """Return the schema of the files that are there; of none, what the annotation declares."""
    try:
        return spark.read.format(file_format).options(**options).load(path).schema
    except AnalysisException as error:
        if error.getCondition() not in {"UNABLE_TO_INFER_SCHEMA", "PATH_NOT_FOUND"}:
            raise
    fields = []
    for name in declared_columns(stream):
        declared = stream.attributes[name].datatype if name in stream.attributes else None
        kind = (
            T.TimestampType()
            if name == stream.time.attribute
            else _SPARK_TYPES.get((declared or "").rpartition(":")[2])
        )
        fields.append(T.StructField(name, kind or T.StringType()))
    return T.StructType(fields)


def _converted(source: SourceSettings, path: str | None) -> dict[str, Column]:
    """Return the columns that Spark reads as something else than they are."""
    encoding = text_encoding(source)
    if source.format in _LINES and encoding != "utf-8":
        return {"value": F.decode(F.col("value").cast("binary"), encoding)}
    if source.format == "parquet" and path is not None:
        return {name: F.timestamp_micros(F.floor(_column(name) / 1000).cast("long")) for name in _nanoseconds(path)}
    return {}


def _nanoseconds(path: str) -> set[str]:
    """Return the time stamps that are nanoseconds in the files, as pandas writes them: to Spark they are numbers."""
    files = Path(path).rglob("*.parquet") if Path(path).is_dir() else ()
    fields = (field for file in files for field in pyarrow.parquet.read_schema(file))
    return {field.name for field in fields if pa.types.is_timestamp(field.type) and field.type.unit == "ns"}


def first_line(error: PySparkException | Py4JError) -> str:
    """Return what Spark complains of, without its trace and its plan."""
    text = (error.getMessage() if isinstance(error, PySparkException) else None) or str(error)
    lines = [line.strip() for line in text.strip().splitlines()]
    first = lines[1] if isinstance(error, Py4JError) and len(lines) > 1 else lines[0]
    return _NOISE.sub("", first).rstrip(".")


def _column(name: str) -> Column:
    return F.col("`" + name.replace("`", "``") + "`")


def _needed_columns(batch: DataFrame, *, several: bool) -> list[Column]:
    columns = [_column(name) for name in batch.columns if name not in _OWN]
    if _FILE in batch.columns:
        # Also where a trigger takes one file: Spark notes a file before it notes the batch, and after an interruption
        # between the two it reads the next one with it. A number per row instead of a path: as text the paths would
        # cost more than the records.
        columns += [F.unix_micros(_MODIFIED).alias(_MODIFIED), F.xxhash64(_FILE).alias(_FILE), F.col(_START)]
    return [*columns, F.col(_STREAM)] if several else columns


def _runs(table: pa.Table) -> list[_Run]:
    """Return the runs of a batch as they come; a key that was not sent along is 0 throughout."""
    rows = table.num_rows
    keys = [_key(table, name) for name in (_STREAM, _MODIFIED, _FILE, _START)]
    changes = np.zeros(rows, dtype=bool)
    changes[:1] = True
    for key in keys:
        changes[1:] |= key[1:] != key[:-1]
    firsts = np.flatnonzero(changes)
    columns = [key[firsts].tolist() for key in keys]
    lengths = np.diff(firsts, append=rows).tolist()
    return [_Run(*run) for run in zip(*columns, firsts.tolist(), lengths, strict=True)]


def _key(table: pa.Table, name: str) -> np.ndarray:
    if name not in table.column_names:
        return np.zeros(table.num_rows, dtype=np.int64)
    key: np.ndarray = pc.fill_null(table[name], 0).to_numpy()
    return key


def _in_order_of_arrival(runs: list[_Run], paths: Callable[[], dict[int, str]]) -> list[_Run]:
    files = {(run.stream, run.modified, run.file) for run in runs}
    same_time = len(files) > len({(stream, modified) for stream, modified, _ in files})
    names = paths() if same_time else {}
    return sorted(runs, key=lambda run: (run.stream, run.modified, names.get(run.file, ""), run.offset))


def _paths(batch: DataFrame) -> dict[int, str]:
    """Return the paths of a batch's files by their digests: one more job, for those who ask."""
    found = batch.select(F.xxhash64(_FILE), _FILE).where(F.col(_FILE).isNotNull()).distinct().collect()
    return {digest: unquote(urlsplit(path).path) for digest, path in found}


def _names(batch: DataFrame, stream: int, runs: list[_Run], paths: Callable[[], dict[int, str]]) -> list[str]:
    """Return the path of each file of a stream's runs, in order of arrival; `batch` for what is no file."""
    if _FILE not in batch.columns:
        return ["batch"]
    digests = [digest for digest, _ in groupby(run.file for run in runs)]
    if digests == [0]:  # digests were not sent along: the stream has one file, or none, in the batch
        found = batch.where(F.col(_STREAM) == stream).select(_FILE).take(1)
        return [unquote(urlsplit(row[0]).path) if row[0] else "batch" for row in found]
    known = paths()
    return [known.get(digest, "batch") for digest in digests]


def _rows(table: pa.Table, runs: list[_Run], prefix: str) -> pa.Table:
    own = [column for column in table.column_names if column.startswith(prefix)]
    columns = table.select(own).rename_columns([column.removeprefix(prefix) for column in own])
    return pa.concat_tables([columns.slice(run.first, run.length) for run in runs]) if runs else columns.slice(0, 0)


def _records(
    raw: pa.Table, runs: list[_Run], names: Callable[[], list[str]], stream: StreamSettings, source: SourceSettings
) -> RawBatch:
    lengths = [sum(run.length for run in of_file) for _, of_file in groupby(runs, key=lambda run: run.file)]
    starts = tuple(accumulate(lengths[:-1], initial=0))
    if source.format not in _LINES:
        return RawBatch(raw, origin=RecordOrigin(names, starts, "{name}, row {number}"))
    if raw.nbytes > _MOST_BYTES:
        raise PipelineError(
            "a batch has more than 2 GB of text",
            hint="set maxFilesPerTrigger in the stream's source to read less at once",
        )
    lines = raw["value"].combine_chunks()
    return parse_lines(lines, RecordOrigin(names, starts, "{name}:{number}"), source.format, stream)
