"""In goes a query in contexts, out comes the plain query that kernels run, partitioned by context windows."""

from __future__ import annotations

from .context_partition import (
    RESERVED,
    WINDOW_COLUMN,
    asks_of_windows,
    is_shared,
    is_windowed,
    key_columns,
    partitioned_by_window,
    placed_variables,
    reserved_types,
    why_apart,
)
from .partition_windows import CONTEXT_WINDOWS, NO_END, NO_START, PartitionWindows, windows_schema

__all__ = [
    "CONTEXT_WINDOWS",
    "NO_END",
    "NO_START",
    "RESERVED",
    "WINDOW_COLUMN",
    "PartitionWindows",
    "asks_of_windows",
    "is_shared",
    "is_windowed",
    "key_columns",
    "partitioned_by_window",
    "placed_variables",
    "reserved_types",
    "why_apart",
    "windows_schema",
]
