"""Files in a folder that Spark reads as tables (ORC, Avro, text, XML …) or as lines of text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from ...errors import PipelineError
from ...storage import UNPACKING_ERRORS, is_transient, unpack
from .records import RawBatch, RecordOrigin, table_of_dicts, without_unreadable
from .spark_source import Reading, SparkSource, reading
from .text_lines import column_as_utf8, declared_columns, lines_of, text_as_utf8, text_encoding
from .unreadable import GONE, UnreadableFile, file_state, reading_error, torn_files

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql import types as T  # noqa: N812 - as PySpark's own documentation has it

__all__ = ["FileSource", "LineSource", "only_spark_unpacks"]

# Arrow's strings count their bytes by 32 bits; the parser adds a line break to each.
_MOST_BYTES = 2_000_000_000
_EVER = "365000d"
_SPARK_TYPES = {
    "boolean": "BooleanType", "integer": "LongType", "int": "LongType", "long": "LongType",
    "short": "LongType", "byte": "LongType", "decimal": "DoubleType", "double": "DoubleType",
    "float": "DoubleType", "dateTime": "TimestampType",
}  # fmt: skip


class FileSource(SparkSource):
    """Files that Spark reads as tables."""

    has_files = True

    def options(self) -> dict[str, str]:
        """Those of the settings. Spark passes files over that are a week older than the newest one: none of ours is.

        One with a time stamp in the future would silence its stream, and one that was copied with its own would never
        be read. What Spark remembers of files is bounded otherwise (`pipeline/durability/generations/`).
        """
        options = super().options()
        return options if any(name.lower() == "maxfileage" for name in options) else {**options, "maxFileAge": _EVER}

    def path(self) -> str | None:
        """The folder or pattern."""
        if self.of.settings.path is None:
            raise PipelineError(
                f"streams.{self.of.name}: a source of the format '{self.of.settings.format}' needs a path",
                hint='write source = { format = "…", path = "folder/" }',
            )
        return super().path()

    def reader(self, spark: SparkSession, options: dict[str, str], path: str | None) -> Reading:
        """What reads the tables, by the schema of the settings or of the files that are there."""
        if "schema" in options:
            return super().reader(spark, options, path)
        return reading(self.of.settings.format, self._schema(spark, options, path))

    def _schema(self, spark: SparkSession, options: dict[str, str], path: str | None) -> T.StructType:
        """Return the schema of the files that are there and whole; of none, what the annotation declares."""
        from pyspark.errors import AnalysisException  # noqa: PLC0415 - see `spark_source`
        from pyspark.sql import types as T  # noqa: N812, PLC0415 - as PySpark's own documentation has it; likewise

        try:
            whole = {**options, "ignoreCorruptFiles": "true", "ignoreMissingFiles": "true"}
            return spark.read.format(self.of.settings.format).options(**whole).load(path).schema
        except AnalysisException as error:
            if error.getCondition() not in {"UNABLE_TO_INFER_SCHEMA", "PATH_NOT_FOUND"}:
                raise
        stream = self.of.stream
        fields = []
        for name in declared_columns(stream):
            declared = stream.attributes[name].datatype if name in stream.attributes else None
            kind = _SPARK_TYPES.get((declared or "").rpartition(":")[2], "StringType")
            kind = "TimestampType" if name == stream.time.attribute else kind
            fields.append(T.StructField(name, getattr(T, kind)()))
        return T.StructType(fields)


_UNPACKED_BY_SPARK = frozenset({".deflate", ".lz4", ".snappy", ".zst"})


def only_spark_unpacks(path: str) -> bool:
    """Whether a file is compressed as Hadoop does it, by its name."""
    return Path(path).suffix.lower() in _UNPACKED_BY_SPARK


class LineSource(FileSource, ABC):
    """Files of text: their lines are read as Spark reads them, and parsed by Arrow; it says which one is malformed."""

    reads_files = True

    @abstractmethod
    def parse(self, lines: pa.Array, origin: RecordOrigin) -> RawBatch:
        """The records of all lines of some files, in order of arrival.

        Args:
            lines: strings, not necessarily valid UTF-8; blank lines included.
            origin: the files that they stand in.
        """

    def reader(self, spark: SparkSession, options: dict[str, str], path: str | None) -> Reading:
        """What reads lines."""
        del spark, path
        return reading("text", options.pop("schema", None))

    def columns(self, frame: DataFrame) -> dict[str, Column]:
        """The lines, as UTF-8."""
        columns = super().columns(frame)
        columns["value"] = column_as_utf8(columns["value"], text_encoding(self.of.settings))
        return columns

    def records(self, rows: pa.Table, origin: RecordOrigin) -> RawBatch:
        """The records of the lines."""
        _check_size(rows.nbytes)
        return self.parse(rows["value"].combine_chunks(), replace(origin, pattern="{name}:{number}"))

    def files(self, paths: Sequence[str]) -> RawBatch:
        """The records of files, without Spark."""
        _check_size(sum(state[0] for path in paths if (state := file_state(path)) is not None))
        contents = {path: _content(path) for path in paths}
        records = self.texts([(path, text) for path, text in contents.items() if isinstance(text, bytes)])
        broken = self.untaken([note for note in contents.values() if isinstance(note, UnreadableFile)])
        return without_unreadable(records, broken) if broken else records

    def texts(self, contents: Sequence[tuple[str, bytes]]) -> RawBatch:
        """The records of texts, each with the name of its file; their lines end where Spark ends them.

        Raises:
            PipelineError: there is too much of them.
        """
        _check_size(sum(len(content) for _, content in contents))
        lines = [(name, found) for name, content in contents if len(found := self._lines(content))]
        if not lines:
            return RawBatch(table_of_dicts([]))
        rows = pa.table({"value": pa.chunked_array([found for _, found in lines], pa.string())})
        return self.records(rows, RecordOrigin.of_files([(name, len(found)) for name, found in lines]))

    def _lines(self, content: bytes) -> pa.Array:
        """The lines of a file's content, as UTF-8."""
        text = text_as_utf8(content.removeprefix(BOM_UTF8), text_encoding(self.of.settings))
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return lines_of(text) if text else pa.array([], pa.string())


def _check_size(size: int) -> None:
    if size > _MOST_BYTES:
        raise PipelineError(
            "a batch has more than 2 GB of text",
            hint="set maxFilesPerTrigger in the stream's source to read less at once",
        )


def _content(path: str) -> bytes | UnreadableFile:
    """What is in a file, unpacked.

    Raises:
        PipelineError: it cannot be read for now.
    """
    state = file_state(path)
    if state is None:
        return UnreadableFile(path, GONE, None)
    torn = torn_files({"": [path]}, {}).get("", {})
    if torn:
        return torn[path]
    if only_spark_unpacks(path):
        return UnreadableFile(path, "only Spark unpacks it: compress it by gzip", state)
    try:
        return unpack(Path(path).name, Path(path).read_bytes())
    except UNPACKING_ERRORS as error:
        if is_transient(error):
            raise reading_error(path, str(error)) from error
        return UnreadableFile(path, str(error) or "it breaks off before its end", state)
