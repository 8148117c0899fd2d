"""Matches on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from rich.console import Console

from .row_printing import table
from .row_values import JsonLines, rows
from .sink import PieceSink, RowWriter

__all__ = ["ConsoleSink"]


class ConsoleSink(PieceSink):
    """Shows matches: as tables on a terminal, as JSON lines elsewhere.

    Args:
        console: where to; by default the standard output.
        limit: rows shown per query and batch; the others are counted.
        prefixes: by which tables shorten IRIs.
    """

    def __init__(
        self, console: Console | None = None, limit: int = 20, prefixes: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._console = Console() if console is None else console
        self._limit = limit
        self._prefixes = prefixes

    def begin(self, batch_id: int, query_name: str) -> RowWriter:
        """Show the matches: a table when it is known how many there are."""
        del batch_id
        if self._console.is_terminal:
            return _Shown(self._console, query_name, self._limit, self._prefixes)
        return JsonLines(lambda text: self._console.file.write(text.decode()), query_name)

    def flush(self) -> None:
        """Show what the stream still holds."""
        self._console.file.flush()


class _Shown:
    """The first rows as a table, and how many there are beside them."""

    def __init__(self, console: Console, query: str, limit: int, prefixes: Mapping[str, str]) -> None:
        self._console, self._query, self._limit, self._prefixes = console, query, limit, prefixes
        self._rows: list[dict[str, Any]] = []
        self._columns: list[str] = []
        self._count = 0

    def write(self, matches: pa.Table) -> None:
        self._columns, self._count = matches.column_names, self._count + matches.num_rows
        self._rows += rows(matches.slice(0, self._limit - len(self._rows)))

    def close(self) -> None:
        if self._count:
            self._console.print(table(self._rows, self._columns, self._query, self._prefixes))
        if self._count > self._limit:
            self._console.print(f"… and {self._count - self._limit:,} more", highlight=False)
