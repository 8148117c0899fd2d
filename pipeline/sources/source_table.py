"""The kinds of sources by the name of their format; what is not named here is any format of Spark's.

What is in Kafka has the format of its values, and is a kind of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ...config import Settings
from .delimited import CsvSource
from .file_source import FileSource
from .json_source import JsonSource
from .kafka import KafkaSource
from .objects import ObjectSource, is_object_source
from .parquet_source import parquet_source
from .source import RecordSource, SourceSpec, SourceStart
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


def source_streams(
    settings: Settings, starts: Mapping[str, SourceStart] = MappingProxyType({})
) -> dict[str, RecordSource]:
    """Return the sources of the streams that have one, by stream, in the order of the project file.

    Args:
        settings: of the project.
        starts: by stream, where reading begins.
    """
    found = {}
    for name, stream in settings.streams.items():
        if stream.source is not None:
            kind = KafkaSource if stream.source.kafka is not None else SOURCES.get(stream.source.format, SparkSource)
            of = SourceSpec(name, stream, stream.source, settings, starts.get(name))
            found[name] = ObjectSource(of, kind) if is_object_source(stream.source) else kind(of)
    return found
