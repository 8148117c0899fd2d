"""The kinds of sources by the name of their format; what is not named here is any format of Spark's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...config import Settings
from .delimited import CsvSource
from .file_source import FileSource
from .json_source import JsonSource
from .parquet_source import parquet_source
from .source import RecordSource, SourceSpec
from .spark_source import SparkSource

__all__ = ["SOURCES", "source_streams"]

SOURCES: Mapping[str, Callable[[SourceSpec], RecordSource]] = {
    "json": JsonSource,
    "csv": CsvSource,
    "parquet": parquet_source,
    "orc": FileSource,
    "avro": FileSource,
    "text": FileSource,
    "xml": FileSource,
    "binaryFile": FileSource,
}


def source_streams(settings: Settings) -> dict[str, RecordSource]:
    """Return the sources of the streams that have one, by stream, in the order of the project file."""
    return {
        name: SOURCES.get(stream.source.format, SparkSource)(SourceSpec(name, stream, stream.source, settings))
        for name, stream in settings.streams.items()
        if stream.source is not None
    }
