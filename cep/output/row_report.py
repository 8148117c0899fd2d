"""Matches to the rows that a query reports: made so many at a time, for DISTINCT, LIMIT and OUTPUT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import replace
from datetime import datetime

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ...expressions import Names
from ...language.nodes import Query
from ..limits import Ceilings
from ..partitions import PartitionWindows
from . import row_pieces
from .distinct import DistinctRows
from .output_rate import OutputRate, build_output_rate
from .row_counts import RowCounts
from .row_output import MatchFrame, RowOutput, output_schema, row_schema

__all__ = ["RowReport"]

_END = 2**62  # above every time stamp and window's end, in microseconds


class RowReport:
    """The rows of matches, as they are reported.

    Attributes:
        ended: LIMIT is reached.
        count: how many rows were reported, as LIMIT counts them.
        distinct: the rows that DISTINCT has seen.
        rate: what OUTPUT holds back.
        counted: how many matches became how many rows.

    Args:
        query: the query.
        names: where matches hold values.
        windows: of a query in contexts, what is known of their windows.
        ceilings: how much the query may take.
    """

    def __init__(self, query: Query, names: Names, windows: PartitionWindows | None, ceilings: Ceilings) -> None:
        self._query, self._ceilings = query, ceilings
        self._output = RowOutput(query, names, windows)
        self.ended, self.count, self.counted = False, 0, RowCounts()
        self.distinct = DistinctRows(query) if query.distinct else None
        self.rate = build_output_rate(query)

    @property
    def next_end(self) -> int | None:
        """When OUTPUT hands over what it holds back, in microseconds; `None`: it holds nothing back."""
        return None if self.rate is None else self.rate.next_end

    @property
    def held_since(self) -> datetime | None:
        """The first `_time` of the rows that OUTPUT holds back; `None`: there are none."""
        if self.rate is None or not self.rate.held.num_rows:
            return None
        first: datetime = pc.min(self.rate.held["_time"]).as_py()
        return first

    def rows(self, matches: MatchFrame | None, passed: int, held_since: int | None) -> Iterator[pa.Table]:
        """The rows of matches, as OUTPUT hands them over: without it as they are made.

        Args:
            matches: in output order; `None`: there are none.
            passed: the watermark, in microseconds.
            held_since: what no `_time` of the matches to come lies below; `None`: the watermark.
        """
        if matches is not None:
            self.add(standing=len(matches.time))
        made = iter(()) if matches is None else self._made(matches)
        if self.rate is None:
            for piece in made:
                self.add(rows=piece.num_rows, reported=piece.num_rows)
                yield piece
            return
        every = pa.concat_tables([row_schema(self._query).empty_table(), *made])
        handed = self._handed_over(self.rate, every, passed, held_since)
        self.add(rows=every.num_rows, reported=handed.num_rows)
        yield handed

    def ends_with(self, matches: MatchFrame) -> bool:
        """Whether LIMIT is reached by some further matches; they are not reported."""
        trial = copy(self)
        trial.distinct = copy(self.distinct)
        return any(trial.ended for _ in trial._made(matches))  # noqa: SLF001 - its own

    def _made(self, matches: MatchFrame) -> Iterator[pa.Table]:
        """The rows of matches, made so many at a time: LIMIT needs the first ones only."""
        size = row_pieces.ROWS_AT_ONCE
        if self._output.repeats:
            size = len(matches.time)
        elif self._query.limit is not None and self.distinct is None:
            size = min(size, self._query.limit - self.count)
        for piece in matches.pieces(size):
            self._ceilings.check_time()
            rows = self._output.rows(piece)
            if self.distinct is not None:
                rows = self.distinct.first(rows)
                self._ceilings.check("distinct_rows", self.distinct.seen.height)
            yield self._limited(rows)
            if self.ended:
                return

    def add(self, standing: int = 0, rows: int = 0, reported: int = 0) -> None:
        """Count matches that stand, their rows, and those of them that were handed over."""
        before = self.counted
        self.counted = replace(
            before,
            standing=before.standing + standing,
            rows=before.rows + rows,
            reported=before.reported + reported,
        )

    def _handed_over(self, rate: OutputRate, rows: pa.Table, watermark: int, held_since: int | None) -> pa.Table:
        passed = watermark if held_since is None else min(watermark, held_since)
        due = rate.due(rows, passed, over=self.ended or watermark >= _END)
        return due.select(output_schema(self._query).names)

    def _limited(self, rows: pa.Table) -> pa.Table:
        if self._query.limit is None:
            return rows
        rows = rows.slice(0, self._query.limit - self.count)
        self.count += rows.num_rows
        self.ended = self.count >= self._query.limit
        return rows

    def tables(self) -> dict[str, pl.DataFrame]:
        """What it remembers."""
        seen = {} if self.distinct is None else {"distinct": self.distinct.seen}
        return seen | ({} if self.rate is None else self.rate.tables())

    def resume(self, count: int) -> None:
        """Have reported so many rows."""
        self.count = count
        self.ended = self._query.limit is not None and count >= self._query.limit

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Go on from what `tables` said."""
        if self.distinct is not None:
            self.distinct.seen = tables["distinct"]
        if self.rate is not None:
            self.rate.load(tables)
