"""Matches given to a function of the program, row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from .row_values import rows
from .sink import Sink

__all__ = ["CallbackSink"]


class CallbackSink(Sink):
    """Calls a function with the name of the query and each of its rows (`rows.rows`), in order.

    After a crash the rows of the last batch may come again, with the same `_id`.
    """

    def __init__(self, function: Callable[[str, dict[str, Any]], object]) -> None:
        self._function = function

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Call the function for each row."""
        del batch_id
        for row in rows(matches):
            self._function(query_name, row)
