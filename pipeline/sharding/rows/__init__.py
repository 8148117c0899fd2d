"""What shards have left of each query's rows in; its rows in output order out, here or in files that tasks write."""

from __future__ import annotations

from .query_parts import FoundRows, QueryParts, found_rows, opened, shared_out
from .row_part import RowReport, RowWork, row_part

__all__ = [
    "FoundRows",
    "QueryParts",
    "RowReport",
    "RowWork",
    "found_rows",
    "opened",
    "row_part",
    "shared_out",
]
