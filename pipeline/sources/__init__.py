"""Raw records of every stream in, as tables in order of arrival, bad ones with their place."""

from __future__ import annotations

from .delimited import decimal_points, sniff_separator
from .file_listing import list_files
from .heartbeat import Heartbeat, beat
from .memory_source import RawColumns, RawTuples, raw_table
from .recorded_batches import read_batches
from .recorded_files import RecordedEvents, file_format, read_file, read_recording
from .records import Malformed, RawBatch, concatenate
from .source import RecordSource, SourceSpec
from .source_table import SOURCES
from .source_union import read_streams, unpack
from .spark_source import first_line

__all__ = [
    "SOURCES",
    "Heartbeat",
    "Malformed",
    "RawBatch",
    "RawColumns",
    "RawTuples",
    "RecordSource",
    "RecordedEvents",
    "SourceSpec",
    "beat",
    "concatenate",
    "decimal_points",
    "file_format",
    "first_line",
    "list_files",
    "raw_table",
    "read_batches",
    "read_file",
    "read_recording",
    "read_streams",
    "sniff_separator",
    "unpack",
]
