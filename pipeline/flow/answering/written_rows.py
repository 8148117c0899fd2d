"""Rows of a query that tasks have written where they found them, and how (docs/decisions/288)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol

import pyarrow as pa

__all__ = ["RowTarget", "WrittenRows"]


class RowTarget(Protocol):
    """How rows are written for a sink, in any process: it can be pickled."""

    def write(self, rows: pa.Table, path: Path) -> None:
        """Write the rows of a query in a batch, of which there are some, durably.

        Args:
            rows: as `Sink.write` is given them.
            path: of a file that is not there yet.
        """


class WrittenRows(NamedTuple):
    """Rows of a query in a batch, in output order.

    Attributes:
        num_rows: how many.
        files: for each sink one, in their order.
    """

    num_rows: int
    files: tuple[Path, ...]
