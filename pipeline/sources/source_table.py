"""The kinds of sources by the name of their format; what is not named here is any format of Spark's.

What is in Kafka, or comes by MQTT, has the format of its values, and is a kind of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from ...config import Settings, SourceSettings
from .delimited import CsvSource
from .file_source import FileSource
from .json_source import JsonSource
from .kafka import KafkaSource
from .mqtt import MqttSource
from .objects import ObjectSource, is_object_source
from .parquet_source import parquet_source
from .source import RecordSource, SourceSpec, SourceStart
from .spark_source import SparkSource

__all__ = ["SOURCES", "delivered_streams", "fleeting_streams", "named_streams", "source_streams", "written_streams"]

_READ_BY_SPARK = frozenset({"lineSep", "wholetext"})
"""Options that say how Spark, and it alone, finds the records of a text."""

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
            kind = _kind(stream.source)
            of = SourceSpec(name, stream, stream.source, settings, starts.get(name))
            found[name] = ObjectSource(of, kind) if is_object_source(stream.source) else kind(of)
    return found


def _kind(source: SourceSettings) -> Callable[[SourceSpec], RecordSource]:
    if source.kafka is not None:
        return KafkaSource
    return MqttSource if source.mqtt is not None else SOURCES.get(source.format, SparkSource)


def named_streams(settings: Settings) -> frozenset[str]:
    """The streams of whose files Spark is asked for no more than the names: whoever answers a batch reads them.

    Args:
        settings: of the project.
    """
    sources = source_streams(settings)
    return frozenset(name for name, of in sources.items() if of.reads_files and _is_here(settings, name))


def delivered_streams(settings: Settings) -> frozenset[str]:
    """The streams whose records a driver gives to executors: those that only Spark reads, or that it has to sort.

    Args:
        settings: of the project.
    """
    sources = {name: stream.source for name, stream in settings.streams.items() if stream.source is not None}
    sorted_first = {name for name, source in sources.items() if source.order == "time"}
    return frozenset((sources.keys() - named_streams(settings)) | sorted_first)


def written_streams(settings: Settings) -> frozenset[str]:
    """Those among them whose rows have no place in files, and come in the order in which Spark delivers them."""
    in_order = {name for name, of in settings.streams.items() if of.source is not None and of.source.order == "arrival"}
    return fleeting_streams(settings) & in_order


def fleeting_streams(settings: Settings) -> frozenset[str]:
    """The streams that have no files: their sources may not give twice what they have given.

    Args:
        settings: of the project.
    """
    return frozenset(name for name, of in source_streams(settings).items() if not (of.has_files or of.reads_files))


def _is_here(settings: Settings, name: str) -> bool:
    """Whether its files are on this machine, or in a bucket of ours, and no option says what only Spark does."""
    source: SourceSettings | None = settings.streams[name].source
    if source is None:
        return False
    here = source.path is None or is_object_source(source) or urlsplit(source.path).scheme in {"", "file"}
    return here and not _READ_BY_SPARK & source.options().keys()
