"""Raw records of every stream in, as tables in order of arrival, bad ones with their place."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .delimited import decimal_points, sniff_separator
from .file_listing import RecordFile, list_files, record_files, with_objects
from .layouts import file_stem, reshape
from .memory_source import RawColumns, RawTuples, raw_table
from .mqtt import MqttIntake
from .objects import ListedObjects, ObjectWatch, is_object_source, listings_of
from .recorded_batches import read_batches
from .recorded_files import RecordedEvents, file_format, read_file, read_recording
from .records import (
    Malformed,
    RawBatch,
    RecordOrigin,
    TakenRecords,
    ToldRecords,
    concatenate,
    table_of_dicts,
    without_unreadable,
)
from .source import RecordSource, SourceSpec, SourceStart
from .text_lines import conversion
from .unreadable import GONE, UnreadableFile, arrived, file_state

if TYPE_CHECKING:
    from .heartbeat import Heartbeat, beat
    from .objects import ObjectSource
    from .source_table import SOURCES, delivered_streams, fleeting_streams, source_streams, written_streams
    from .source_union import read_streams, rows_of, unpack
    from .spark_source import first_line

_OF_SPARK = {
    "SOURCES": ".source_table",
    "Heartbeat": ".heartbeat",
    "ObjectSource": ".objects",
    "beat": ".heartbeat",
    "delivered_streams": ".source_table",
    "fleeting_streams": ".source_table",
    "first_line": ".spark_source",
    "read_streams": ".source_union",
    "rows_of": ".source_union",
    "source_streams": ".source_table",
    "unpack": ".source_union",
    "written_streams": ".source_table",
}

__all__ = [
    "GONE",
    "SOURCES",
    "Heartbeat",
    "ListedObjects",
    "Malformed",
    "MqttIntake",
    "ObjectSource",
    "ObjectWatch",
    "RawBatch",
    "RawColumns",
    "RawTuples",
    "RecordFile",
    "RecordOrigin",
    "RecordSource",
    "RecordedEvents",
    "SourceSpec",
    "SourceStart",
    "TakenRecords",
    "ToldRecords",
    "UnreadableFile",
    "arrived",
    "beat",
    "concatenate",
    "conversion",
    "decimal_points",
    "delivered_streams",
    "file_format",
    "file_state",
    "file_stem",
    "first_line",
    "fleeting_streams",
    "is_object_source",
    "list_files",
    "listings_of",
    "raw_table",
    "read_batches",
    "read_file",
    "read_recording",
    "read_streams",
    "record_files",
    "reshape",
    "rows_of",
    "sniff_separator",
    "source_streams",
    "table_of_dicts",
    "unpack",
    "with_objects",
    "without_unreadable",
    "written_streams",
]


def __getattr__(name: str) -> object:
    """What loads Spark, on first use: commands that look at queries need none of it."""
    if name in _OF_SPARK:
        return getattr(import_module(_OF_SPARK[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
