"""In goes a query in contexts, or one of several that are alike, out comes the plain query that kernels run."""

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
from .loosening import Bounds, LooseForm, bounded_joins, is_loose, loose_form, loosened, loosest
from .partition_windows import CONTEXT_WINDOWS, NO_END, NO_START, PartitionWindows, windows_schema
from .query_partition import QUERY_COLUMN, QuerySharing, is_joint, partitioned_by_query, queries_of

__all__ = [
    "CONTEXT_WINDOWS",
    "NO_END",
    "NO_START",
    "QUERY_COLUMN",
    "RESERVED",
    "WINDOW_COLUMN",
    "Bounds",
    "LooseForm",
    "PartitionWindows",
    "QuerySharing",
    "asks_of_windows",
    "bounded_joins",
    "is_joint",
    "is_loose",
    "is_shared",
    "is_windowed",
    "key_columns",
    "loose_form",
    "loosened",
    "loosest",
    "partitioned_by_query",
    "partitioned_by_window",
    "placed_variables",
    "queries_of",
    "reserved_types",
    "why_apart",
    "windows_schema",
]
