"""Any source of Spark's: rows come as they are, in the order in which Spark delivers them.

Spark is loaded when a source is opened: the parsers of text stand beside their sources, and need none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

import pyarrow as pa

from ...errors import PipelineError
from .records import RawBatch, RecordOrigin
from .source import RecordSource, SourceSpec
from .unreadable import GONE, UnreadableFile

if TYPE_CHECKING:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql import types as T  # noqa: N812 - as PySpark's own documentation has it

__all__ = ["Reading", "SparkSource", "column_of", "first_line", "reading"]

Reading: TypeAlias = Callable[[Any], Any]
"""Makes a reader of what Spark reads streams with, or tables."""

_AWAITED = "Exception thrown in awaitResult"
_IN_PYTHON = re.compile(r"perform \w+: Traceback \(most recent call last\):\n(?:[ \n].*\n)+[\w.]+: (.+)")
_NOISE = re.compile(r"^(?:Caused by)?: ?[\w.$]+: |\[[A-Z_.]+\] | SQLSTATE: \w+$")


class SparkSource(RecordSource):
    """A source whose format is Spark's to know: `rate`, `kafka`, a format of a package."""

    has_files = False
    reads_files = False

    def __init__(self, of: SourceSpec) -> None:
        self.of = of

    def open(self, spark: SparkSession, files: Sequence[str] = ()) -> DataFrame:
        """The rows of the format, by the options of the settings; of files, as Spark reads those that it has listed."""
        from py4j.protocol import Py4JError  # noqa: PLC0415 - see above
        from pyspark.errors import PySparkException  # noqa: PLC0415 - see above

        options, path = self.options(), self.path()
        if self._cleaned != "off":
            # A batch that is planned again may name files that another reader has cleaned away: the archive has them.
            options.setdefault("ignoreMissingFiles", "true")
        try:
            reader = self.reader(spark, options, path)
            if files:
                base = {} if path is None or set("*?[{") & set(path) else {"basePath": path}
                found: DataFrame = (
                    reader(spark.read).options(**options, **base).load([_escaped(file) for file in files])
                )
            else:
                found = reader(spark.readStream).options(**options).load(path)
        except (PySparkException, Py4JError) as error:
            raise PipelineError(
                f"streams.{self.of.name}: Spark cannot read the source: {first_line(error)}",
                hint=f"check format, path and options of streams.{self.of.name}.source",
            ) from error
        return found

    def options(self) -> dict[str, str]:
        """Those of the settings, as Spark is given them."""
        return self.of.settings.options()

    def path(self) -> str | None:
        """Where it is read, a folder of this machine made if it does not exist yet; `None`: it has no place."""
        name, source = self.of.name, self.of.settings
        if source.path is None:
            return None
        if urlsplit(source.path).scheme:
            return source.path
        path = self.of.project.path(source.path).absolute()
        if path.is_file():
            return _pattern_of_file(str(path))
        if not set("*?[{") & set(source.path):
            hint = "name a folder in which files will be dropped"
            try:
                path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = f"streams.{name}: cannot make the folder {path}: {error.strerror}"
                raise PipelineError(reason, hint=hint) from error
        return str(path)

    def reader(self, spark: SparkSession, options: dict[str, str], path: str | None) -> Reading:
        """What reads it, given what Spark reads with; options that are used up here are taken out."""
        del spark, path
        return reading(self.of.settings.format, options.pop("schema", None))

    def columns(self, frame: DataFrame) -> dict[str, Column]:
        """All of them."""
        return {name: column_of(name) for name in frame.columns}

    def files(self, paths: Sequence[str]) -> RawBatch:
        """Nothing: the format is Spark's."""
        raise PipelineError(
            f"streams.{self.of.name}: only Spark reads {', '.join(paths)}", hint='set hosting = "driver" under [engine]'
        )

    def untaken(self, files: Sequence[UnreadableFile]) -> list[UnreadableFile]:
        """All of them; where files are cleaned away when they are read, one that is gone has been taken."""
        fleeting = self._cleaned == "delete"
        left = [file for file in files if self._cleaned == "off" or file.reason != GONE]
        return [replace(file, fleeting=fleeting) for file in left]

    @property
    def _cleaned(self) -> str:
        """What Spark does with files that are read."""
        return self.of.settings.options().get("cleanSource", "off").lower()

    def records(self, rows: pa.Table, origin: RecordOrigin) -> RawBatch:
        """The rows themselves."""
        return RawBatch(rows, origin=origin)


def reading(file_format: str, schema: str | T.StructType | None) -> Reading:
    """What reads a format; `None`: the schema is Spark's to know."""

    def read(start: Any) -> Any:
        """Both kinds of readers, that of streams and that of tables, have these methods."""
        reader = start.format(file_format)
        return reader if schema is None else reader.schema(schema)

    return read


def _pattern_of_file(path: str) -> str:
    """A glob pattern that one file has: Spark reads streams of files from folders and by patterns only."""
    return f"{_escaped(path[:-1])}[{path[-1]}]"


def _escaped(path: str) -> str:
    """A path of which no character stands for others; Spark's `__globPaths__` reads files twice beside such a name."""
    return re.sub(r"([*?\[\]{}\\])", r"\\\1", path)


def column_of(name: str) -> Column:
    """Return a column by its name, whatever that contains."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - as PySpark's own documentation has it; see above

    return F.col("`" + name.replace("`", "``") + "`")


def first_line(error: PySparkException | Py4JError) -> str:
    """Return what Spark complains of, without its trace and its plan; of a source in Python, what that complains of."""
    from py4j.protocol import Py4JError  # noqa: PLC0415 - see above
    from pyspark.errors import PySparkException  # noqa: PLC0415 - see above

    text = (error.getMessage() if isinstance(error, PySparkException) else None) or str(error)
    if (raised := _IN_PYTHON.search(text)) is not None:
        return raised[1].rstrip(".")
    lines = [line.strip() for line in text.strip().splitlines()]
    first = lines[1] if isinstance(error, Py4JError) and len(lines) > 1 else lines[0]
    if _AWAITED in first:  # the thread that waited says nothing of what happened
        first = next((line for line in lines if line.startswith("Caused by")), first)
    return _NOISE.sub("", first).rstrip(".")
