"""Matches given to a function of the program, row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from .row_values import rows, slices
from .sink import PieceSink, RowWriter

__all__ = ["CallbackSink"]


class CallbackSink(PieceSink):
    """Calls a function with the name of the query and each of its rows (`rows.rows`), in order.

    After a crash the rows of the last batch may come again, with the same `_id`.
    """

    def __init__(self, function: Callable[[str, dict[str, Any]], object]) -> None:
        self._function = function

    def begin(self, batch_id: int, query_name: str) -> RowWriter:
        """Call the function for each row as it comes."""
        del batch_id
        return _Calls(self._function, query_name)


class _Calls:
    def __init__(self, function: Callable[[str, dict[str, Any]], object], query: str) -> None:
        self._function, self._query = function, query

    def write(self, matches: pa.Table) -> None:
        for piece in slices(matches):
            for row in rows(piece):
                self._function(self._query, row)

    def close(self) -> None:
        """Nothing is held back."""
