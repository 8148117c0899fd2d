"""A query's rows for a batch, piece by piece, and the time that it has taken for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from time import monotonic, process_time
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa

from ....cep import limit_time
from ..queries import QueryRuntime
from .written_rows import WrittenRows

__all__ = ["QueryRows", "RunningAnswer", "TimeSpent"]


class QueryRows(NamedTuple):
    """Rows that one query has for a batch.

    Attributes:
        label: the query's.
        rows: in output order, behind those that it gave before.
        last: no more of them follow.
        calls: what a rule calls for its rows, as `rules.in_order` takes it; `None`: nothing.
        done: of a rule, how much it does for its rows, by what it does.
        written: the rows, where they are in files; then `rows` has none.
    """

    label: str
    rows: pa.Table
    last: bool = True
    calls: pa.Table | None = None
    done: Mapping[str, int] = MappingProxyType({})
    written: WrittenRows | None = None

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return self.rows.num_rows if self.written is None else self.written.num_rows


@dataclass(slots=True)
class RunningAnswer:
    """The rows that one query has for a batch, piece by piece; of the next piece it is known whether there is one.

    Attributes:
        flow: the query.
        pieces: its rows.
        found: whether these are there already, and nothing is left to be done for them.
        goes_on: whether there are more than those that were given last.
    """

    flow: QueryRuntime
    pieces: Iterator[pa.Table]
    found: bool = False
    goes_on: bool = True
    _ahead: pa.Table | None = None

    @property
    def label(self) -> str:
        """The query's."""
        return self.flow.registration.label

    def next(self) -> pa.Table:
        """The next rows; none, if there are none at all."""
        self.goes_on = False  # should it fail, or have failed with the rows before
        if self.flow.failure is not None:
            return self.flow.no_rows
        rows = next(self.pieces, None) if self._ahead is None else self._ahead
        self._ahead = next(self.pieces, None)
        self.goes_on = self._ahead is not None
        return self.flow.no_rows if rows is None else rows


class TimeSpent:
    """How long each query has taken for a batch, all pieces together; one that takes too long fails.

    Args:
        seconds: that it may take; `None`: as many as it takes.
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._spent: dict[str, tuple[float, float]] = {}

    @contextmanager
    def of(self, label: str) -> Iterator[None]:
        """Count what is done within, on this thread, as done for a query."""
        clock, processor = self._spent.get(label, (0.0, 0.0))
        began = monotonic(), process_time()
        try:
            with limit_time(self._seconds, (clock, processor)):
                yield
        finally:
            self._spent[label] = (clock + monotonic() - began[0], processor + process_time() - began[1])

    def limited(self) -> AbstractContextManager[None]:
        """Let what is done within, for several queries, take as long as one may."""
        return limit_time(self._seconds)
