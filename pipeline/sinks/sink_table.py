"""The kinds of sinks that the command line knows, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .console_sink import ConsoleSink
from .json_lines_sink import JsonLinesSink
from .kafka_sink import kafka_sink
from .parquet_sink import ParquetSink
from .sink import Sink

__all__ = ["SINKS"]

SINKS: Mapping[str, Callable[[str | None, Mapping[str, str]], Sink]] = {
    "console": lambda _, prefixes: ConsoleSink(prefixes=prefixes),
    "jsonl": lambda place, _: JsonLinesSink(place or "-"),
    "kafka": lambda place, _: kafka_sink(str(place)),
    "parquet": lambda place, _: ParquetSink(str(place)),
}
"""Name → what makes a sink of a file or folder, if one is named, and the prefixes by which people read IRIs."""
