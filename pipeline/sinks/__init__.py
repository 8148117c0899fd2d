"""Rows in; where people and programs want them out, once per batch."""

from __future__ import annotations

from .callback_sink import CallbackSink
from .console_sink import ConsoleSink
from .json_lines_sink import JsonLinesSink
from .parquet_sink import ParquetSink
from .row_delivery import RowDelivery
from .row_printing import RowPrinter, iso, print_rows, readable, table, value_text
from .row_source import unmarked
from .row_values import rows
from .sink import Sink, check_sinks
from .sink_table import SINKS

__all__ = [
    "SINKS",
    "CallbackSink",
    "ConsoleSink",
    "JsonLinesSink",
    "ParquetSink",
    "RowDelivery",
    "RowPrinter",
    "Sink",
    "check_sinks",
    "iso",
    "print_rows",
    "readable",
    "rows",
    "table",
    "unmarked",
    "value_text",
]
