"""What shards have left of each query's rows in; its rows in output order out, here or in files that tasks write."""

from __future__ import annotations

from .query_parts import FoundRows, QueryParts, found_rows, opened, shared_out
from .row_writing import RowWork, WritingReport, row_part

__all__ = [
    "FoundRows",
    "QueryParts",
    "RowWork",
    "WritingReport",
    "found_rows",
    "opened",
    "row_part",
    "shared_out",
]
