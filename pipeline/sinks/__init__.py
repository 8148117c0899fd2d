"""Rows in; where people and programs want them out, once per batch."""

from __future__ import annotations

from .row_delivery import RowDelivery
from .row_printing import iso, table
from .row_source import unmarked
from .rows import rows
from .sink import ConsoleSink, JsonLinesSink, ParquetSink, Sink

__all__ = ["ConsoleSink", "JsonLinesSink", "ParquetSink", "RowDelivery", "Sink", "iso", "rows", "table", "unmarked"]
