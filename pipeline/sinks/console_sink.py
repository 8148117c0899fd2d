"""Matches on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pyarrow as pa
from rich.console import Console

from .row_printing import table
from .row_values import json_lines, rows
from .sink import Sink

__all__ = ["ConsoleSink"]


class ConsoleSink(Sink):
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

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Show the matches."""
        del batch_id
        if not matches.num_rows:
            return
        if not self._console.is_terminal:
            self._console.file.write(json_lines(matches, query_name).decode())
            return
        shown = rows(matches.slice(0, self._limit))
        self._console.print(table(shown, matches.column_names, query_name, self._prefixes))
        if matches.num_rows > self._limit:
            self._console.print(f"… and {matches.num_rows - self._limit:,} more", highlight=False)

    def flush(self) -> None:
        """Show what the stream still holds."""
        self._console.file.flush()
