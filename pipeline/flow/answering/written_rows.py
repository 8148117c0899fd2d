"""Rows of a query that tasks have written where they found them, and how (docs/decisions/288)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import pyarrow as pa

from ....storage import StoragePath

__all__ = ["LogTarget", "RowTarget", "RowTargets", "WrittenRows"]


class RowTarget(Protocol):
    """How rows are written for a sink, in any process: it can be pickled."""

    def write(self, rows: pa.Table, path: Path) -> None:
        """Write the rows of a query in a batch, of which there are some, durably.

        Args:
            rows: as `Sink.write` is given them.
            path: of a file that is not there yet.
        """


class LogTarget(RowTarget, Protocol):
    """How rows are written for the log of matches: as queries give them."""

    def write(self, rows: pa.Table, path: StoragePath) -> None:
        """Write them durably, as `RowTarget.write`; the log may be in a bucket."""

    @property
    def folder(self) -> StoragePath:
        """In which folder they have to be, under a name that counts for nothing."""


class RowTargets(NamedTuple):
    """How the rows of a query are written.

    Attributes:
        sinks: for each of them, in their order.
        log: for the log of matches; `None`: it does not keep them.
    """

    sinks: Sequence[RowTarget]
    log: LogTarget | None = None


class WrittenRows(NamedTuple):
    """Rows of a query in a batch, in output order.

    Attributes:
        num_rows: how many; without any there are no files.
        files: for each sink one, in their order.
        logged: for the log of matches.
    """

    num_rows: int
    files: tuple[Path, ...]
    logged: StoragePath | None = None
