"""Any source of Spark's: rows come as they are, in the order in which Spark delivers them.

Spark is loaded when a source is opened: the parsers of text stand beside their sources, and need none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pyarrow as pa

from ...errors import PipelineError
from .records import RawBatch, RecordOrigin
from .source import RecordSource, SourceSpec

if TYPE_CHECKING:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

__all__ = ["SparkSource", "column_of", "first_line"]

_NOISE = re.compile(r"^: ?[\w.$]+: |\[[A-Z_.]+\] | SQLSTATE: \w+$")


class SparkSource(RecordSource):
    """A source whose format is Spark's to know: `rate`, `kafka`, a format of a package."""

    has_files = False

    def __init__(self, of: SourceSpec) -> None:
        self.of = of

    def open(self, spark: SparkSession) -> DataFrame:
        """The rows of the format, by the options of the settings."""
        from py4j.protocol import Py4JError  # noqa: PLC0415 - see above
        from pyspark.errors import PySparkException  # noqa: PLC0415 - see above

        options, path = self.options(), self.path()
        if options.get("cleanSource", "off").lower() != "off":
            # A batch that is planned again may name files that another reader has cleaned away: the archive has them.
            options.setdefault("ignoreMissingFiles", "true")
        try:
            return self.reader(spark, options, path).options(**options).load(path)
        except (PySparkException, Py4JError) as error:
            raise PipelineError(
                f"streams.{self.of.name}: Spark cannot read the source: {first_line(error)}",
                hint=f"check format, path and options of streams.{self.of.name}.source",
            ) from error

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

    def reader(self, spark: SparkSession, options: dict[str, str], path: str | None) -> DataStreamReader:
        """What reads it; options that are used up here are taken out."""
        del path
        reader = spark.readStream.format(self.of.settings.format)
        return reader.schema(options.pop("schema")) if "schema" in options else reader

    def columns(self, frame: DataFrame) -> dict[str, Column]:
        """All of them."""
        return {name: column_of(name) for name in frame.columns}

    def planned(self, batch: DataFrame) -> pa.Table | None:
        """Nothing: a plan has no rows."""
        del batch
        return None

    def records(self, rows: pa.Table, origin: RecordOrigin) -> RawBatch:
        """The rows themselves."""
        return RawBatch(rows, origin=origin)


def _pattern_of_file(path: str) -> str:
    """A glob pattern that one file has: Spark reads streams of files from folders and by patterns only."""
    escaped = re.sub(r"([*?\[\]{}\\])", r"\\\1", path[:-1])
    return f"{escaped}[{path[-1]}]"


def column_of(name: str) -> Column:
    """Return a column by its name, whatever that contains."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - as PySpark's own documentation has it; see above

    return F.col("`" + name.replace("`", "``") + "`")


def first_line(error: PySparkException | Py4JError) -> str:
    """Return what Spark complains of, without its trace and its plan."""
    from py4j.protocol import Py4JError  # noqa: PLC0415 - see above
    from pyspark.errors import PySparkException  # noqa: PLC0415 - see above

    text = (error.getMessage() if isinstance(error, PySparkException) else None) or str(error)
    lines = [line.strip() for line in text.strip().splitlines()]
    first = lines[1] if isinstance(error, Py4JError) and len(lines) > 1 else lines[0]
    return _NOISE.sub("", first).rstrip(".")
