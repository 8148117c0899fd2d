"""Rows in; where people and programs want them out, once per batch."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .row_printing import RowPrinter, iso, print_rows, readable, table, value_text
from .row_values import rows, slices

if TYPE_CHECKING:
    from .callback_sink import CallbackSink
    from .console_sink import ConsoleSink
    from .file_sink import FileSink
    from .json_lines_sink import JsonLinesSink
    from .kafka_sink import KafkaSink
    from .parquet_sink import ParquetSink
    from .row_delivery import DeliveredRows, RowDelivery
    from .row_source import marked, unmarked
    from .sink import PieceSink, Sink, check_sinks
    from .sink_table import SINKS

_LATER = {
    "SINKS": ".sink_table",
    "CallbackSink": ".callback_sink",
    "ConsoleSink": ".console_sink",
    "DeliveredRows": ".row_delivery",
    "FileSink": ".file_sink",
    "JsonLinesSink": ".json_lines_sink",
    "KafkaSink": ".kafka_sink",
    "ParquetSink": ".parquet_sink",
    "PieceSink": ".sink",
    "RowDelivery": ".row_delivery",
    "Sink": ".sink",
    "check_sinks": ".sink",
    "marked": ".row_source",
    "unmarked": ".row_source",
}

__all__ = [
    "SINKS",
    "CallbackSink",
    "ConsoleSink",
    "DeliveredRows",
    "FileSink",
    "JsonLinesSink",
    "KafkaSink",
    "ParquetSink",
    "PieceSink",
    "RowDelivery",
    "RowPrinter",
    "Sink",
    "check_sinks",
    "iso",
    "marked",
    "print_rows",
    "readable",
    "rows",
    "slices",
    "table",
    "unmarked",
    "value_text",
]


def __getattr__(name: str) -> object:
    """What rows are delivered to, on first use: most rows are printed."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
