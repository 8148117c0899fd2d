"""The sources of a project as one streaming DataFrame, and its batches as raw records per stream, in order of arrival.

Of files on this machine (JSON, CSV, Parquet) Spark lists and notes which of them make up a batch, and the driver reads
them (docs/decisions/364). Of others it reads whole lines of text, which the driver parses; other tables (ORC, any other
format) come as they are. What tells the order of arrival is sent along as numbers; the files' names are asked for when
a record's place is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial, reduce
from itertools import accumulate, groupby
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as PySpark's own documentation has it

from ...config import Settings
from ...errors import PipelineError
from .file_source import only_spark_unpacks
from .layouts import reshape
from .records import RawBatch, RecordOrigin, without_unreadable
from .source import RecordSource, SourceStart
from .source_table import named_streams, source_streams
from .spark_source import column_of, first_line
from .unreadable import (
    ListedFiles,
    UnreadableFile,
    arrived,
    by_stream,
    is_of_a_file,
    path_of,
    readable_part,
    rows_beside,
    torn_files,
)

__all__ = ["read_streams", "rows_of", "unpack"]

# Columns of the DataFrame beside those of the streams, which are called `<number of the stream>:<name>`.
_STREAM, _MODIFIED, _FILE, _START = "_stream", "_modified", "_file", "_start"
_METADATA = {_MODIFIED: "file_modification_time", _FILE: "file_path", _START: "file_block_start"}
_OWN = {_STREAM, *_METADATA}


def read_streams(
    spark: SparkSession,
    settings: Settings,
    heartbeats: Path | None = None,
    starts: Mapping[str, SourceStart] = MappingProxyType({}),
    given: Mapping[str, DataFrame] = MappingProxyType({}),
) -> DataFrame:
    """One streaming DataFrame of all streams of a project; `unpack` reads its batches.

    A folder that does not exist yet is made: it is where files will be dropped.

    Args:
        spark: the session.
        settings: the project's.
        heartbeats: a folder; each new file in it makes a batch, if need be one without records.
        starts: by stream, where a source without files begins to be read.
        given: by stream, the DataFrames that a program has for sources.

    Raises:
        PipelineError: no stream has a source, or Spark cannot read one.
    """
    streams = source_streams(settings, starts)
    if not streams:
        raise PipelineError(
            "the project has no stream with a source", hint="add source = { format = …, path = … } to a stream"
        )
    named = named_streams(settings)
    frames = [
        _noted(streams[name].open(spark, ()), number)
        if name in named
        else _opened(spark, number, streams[name], given=given.get(name))
        for number, name in enumerate(streams)
    ]
    if heartbeats is not None:
        frames.append(_heartbeats(spark, heartbeats))
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)


def unpack(
    batch: DataFrame,
    settings: Settings,
    without: Mapping[str, Collection[str]] = MappingProxyType({}),
    listed: Mapping[str, Collection[str]] = MappingProxyType({}),
    only: Collection[str] | None = None,
) -> dict[str, RawBatch]:
    """Return the records of a batch of `read_streams`, stream by stream; a stream without records in it is left out.

    Order of arrival: modification time of the file, its path, offset in the file; without files as Spark delivers.
    Places may be asked for while the batch is being handled (`foreachBatch`), not later. Of a file that is broken or
    gone there is nothing but a note.

    Args:
        batch: as Spark gives it.
        settings: of the project.
        without: by stream, the files that are passed over, as Spark notes their paths.
        listed: by stream, all its files in the same way, as far as they are known.
        only: the streams that are asked for; `None`: all.

    Raises:
        PipelineError: a file cannot be read for now, Spark cannot read the batch, or a stream's lines are too many for
            one batch.
    """
    every, named = source_streams(settings), named_streams(settings)
    wanted = [name for name in every if only is None or name in only]
    found: dict[str, RawBatch] = {}
    for number, (name, source) in enumerate(every.items()):
        paths = arrived(listed.get(name, ()), without.get(name, ())) if name in named and name in wanted else ()
        if any(map(only_spark_unpacks, paths)):
            rows = _opened(batch.sparkSession, number, source, paths)
            found |= _delivered(rows, settings, [name], {}, {name: {*listed[name]} - {*without.get(name, ())}})
        elif paths:
            found[name] = reshape(source.files(paths), settings.streams[name])
    delivered = [name for name in wanted if name not in named]
    if delivered:
        found |= _delivered(batch, settings, delivered, without, listed)
    return {name: found[name] for name in every if name in found and _has_something(found[name])}


def _has_something(raw: RawBatch) -> bool:
    return bool(raw.table.num_rows or raw.malformed)


def _delivered(
    batch: DataFrame, settings: Settings, only: Collection[str], without: ListedFiles, listed: ListedFiles
) -> dict[str, RawBatch]:
    """The records of streams whose rows Spark has; see `unpack`."""
    every = source_streams(settings)
    streams = {name: source for name, source in every.items() if name in only}
    numbers = {name: number for number, name in enumerate(every)}
    if len(streams) < len(every):
        batch = batch.where(F.col(_STREAM).isin([numbers[name] for name in streams]))
        without, listed = ({name: of[name] for name in streams if name in of} for of in (without, listed))
    torn = torn_files(listed, without)
    for name in streams:
        left_out = {*without.get(name, ()), *torn.get(name, ())}
        if left_out:
            # A note says file:///in/1.json, a row says file:/in/1.json.
            rows = [path.replace("file:///", "file:/", 1) for path in left_out]
            passed_over = F.col(_FILE).isin(rows) & (F.col(_STREAM) == numbers[name])
            batch = batch.where(F.col(_FILE).isNull() | ~passed_over)
    wanted = {name: {*files} - {*without.get(name, ())} - {*torn.get(name, ())} for name, files in listed.items()}
    numbered = {name: (numbers[name], source) for name, source in streams.items()}
    batch, table, failed = _read(batch, numbered, wanted, listed, several=len(every) > 1)
    paths = cache(partial(_paths, batch))
    runs = _in_order_of_arrival(_runs(table), paths)
    unreadable = by_stream(failed, listed)
    for name, short in torn.items():
        unreadable.setdefault(name, []).extend(short.values())
    found = {}
    for name, (number, source) in numbered.items():
        own = [run for run in runs if run.stream == number]
        # Spark delivers pieces of 10,000 rows; whatever follows works several times as fast on one.
        raw = _rows(table, own, f"{number}:").combine_chunks()
        if raw.num_rows:
            records = source.records(raw, _origin(own, partial(_names, batch, number, own, paths)))
            found[name] = reshape(records, settings.streams[name])
        files = source.untaken(unreadable.get(name, ()))
        if files:
            found[name] = without_unreadable(found.get(name), files)
    return found


def rows_of(batch: DataFrame, settings: Settings, stream: str) -> DataFrame:
    """The rows that a batch of `read_streams` has of one stream, with the columns that its source needs."""
    number = [*source_streams(settings)].index(stream)
    own = [name for name in batch.columns if name.startswith(f"{number}:")]
    columns = [column_of(name).alias(name.partition(":")[2]) for name in own]
    return batch.where(F.col(_STREAM) == number).select(*columns)


def _read(
    batch: DataFrame,
    streams: Mapping[str, tuple[int, RecordSource]],
    wanted: ListedFiles,
    listed: ListedFiles,
    *,
    several: bool,
) -> tuple[DataFrame, pa.Table, Collection[UnreadableFile]]:
    """A batch, its rows, and the files that cannot be read; if there are any, the batch is one of the others.

    Args:
        batch: as Spark gives it.
        streams: by name, each with its number.
        wanted: the files of which there are rows, by stream.
        listed: the files that Spark reads for it.
        several: whether the project has others.
    """

    def rows(of: DataFrame) -> pa.Table:
        return of.select(*_needed_columns(of, several=several)).toArrow()

    def of_files(paths: Mapping[str, list[str]]) -> DataFrame:
        opened = ((number, source, paths.get(name)) for name, (number, source) in streams.items())
        frames = [_opened(batch.sparkSession, number, source, files) for number, source, files in opened if files]
        return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)

    try:
        try:
            return batch, rows(batch), ()
        except (PySparkException, Py4JError) as error:
            if wanted.keys() != streams.keys() or not is_of_a_file(error):
                raise
        part = readable_part(wanted, lambda paths: rows(of_files(paths)))
        others = [number for name, (number, _) in streams.items() if not listed[name]]
        beside = batch.where(F.col(_STREAM).isin(others)).select(*_needed_columns(batch, several=several))
        tables = [rows_beside(beside, listed)] if others else []
    except (PySparkException, Py4JError) as error:
        raise PipelineError(
            f"Spark cannot read a batch: {first_line(error)}",
            hint="check the sources of the project; the batch is read again at the next start",
        ) from error
    if part.table is None:
        batch = batch.limit(0)
    else:
        batch, tables = of_files(part.paths), [part.table, *tables]
    table = pa.concat_tables(tables, promote_options="default") if tables else pa.table({})
    return batch, table, part.unreadable


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring rows of one stream, one file (a digest of its path) and one split of it."""

    stream: int
    modified: int
    file: int
    offset: int
    first: int
    length: int


def _opened(
    spark: SparkSession, number: int, source: RecordSource, files: Sequence[str] = (), given: DataFrame | None = None
) -> DataFrame:
    frame = source.open(spark, files) if given is None else given
    columns = [column.alias(f"{number}:{name}") for name, column in source.columns(frame).items()]
    arrival = [F.col(f"_metadata.{field}").alias(own) for own, field in _METADATA.items()] if source.has_files else []
    return frame.select(F.lit(number).alias(_STREAM), *arrival, *columns)


def _heartbeats(spark: SparkSession, folder: Path) -> DataFrame:
    """A source without rows: Spark sees that there is something new, and plans nothing to read it."""
    folder.mkdir(parents=True, exist_ok=True)
    return _noted(spark.readStream.format("text").option("maxFileAge", "365000d").load(str(folder)), 0)


def _noted(files: DataFrame, number: int) -> DataFrame:
    """Files that are noted by Spark, and of which no row is read: no batch has anything to plan for them."""
    return files.where(F.lit(False)).select(F.lit(number).alias(_STREAM))  # noqa: FBT003 - a value


def _needed_columns(batch: DataFrame, *, several: bool) -> list[Column]:
    columns = [column_of(name) for name in batch.columns if name not in _OWN]
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
    return {digest: path_of(path) for digest, path in found}


def _names(batch: DataFrame, stream: int, runs: list[_Run], paths: Callable[[], dict[int, str]]) -> list[str]:
    """Return the path of each file of a stream's runs, in order of arrival; `batch` for what is no file."""
    if _FILE not in batch.columns:
        return ["batch"]
    digests = [digest for digest, _ in groupby(run.file for run in runs)]
    if digests == [0]:  # digests were not sent along: the stream has one file, or none, in the batch
        found = batch.where(F.col(_STREAM) == stream).select(_FILE).take(1)
        return [path_of(row[0]) if row[0] else "batch" for row in found] or ["batch"]
    known = paths()
    return [known.get(digest, "batch") for digest in digests]


def _rows(table: pa.Table, runs: list[_Run], prefix: str) -> pa.Table:
    own = [column for column in table.column_names if column.startswith(prefix)]
    columns = table.select(own).rename_columns([column.removeprefix(prefix) for column in own])
    return pa.concat_tables([columns.slice(run.first, run.length) for run in runs]) if runs else columns.slice(0, 0)


def _origin(runs: list[_Run], names: Callable[[], list[str]]) -> RecordOrigin:
    """The files of a stream's runs."""
    lengths = [sum(run.length for run in of_file) for _, of_file in groupby(runs, key=lambda run: run.file)]
    return RecordOrigin(names, tuple(accumulate(lengths[:-1], initial=0)))
