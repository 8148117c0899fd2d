"""OUTPUT (ALL | FIRST | LAST) EVERY …: which rows of a period are handed over, and when (docs/semantics.md 3.13).

Rows come in output order, with a column for each value of GROUP BY. FIRST is handed over at once; the others wait in
`held` until their period ends. The end of the query or of the streams ends every period.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol, cast

import polars as pl
import pyarrow as pa

from ...expressions import frame_of, micros
from ...language.nodes import Output, Query
from .row_output import group_names, row_schema

__all__ = ["OutputRate", "build_output_rate"]

_NUMBER, _PERIOD, _PLACE, _COUNT = "#number", "#period", "#place", "#count"


class OutputRate(Protocol):
    """Holds rows back until they are due."""

    @property
    def held(self) -> pa.Table:
        """Rows that are not handed over yet, in output order."""

    @property
    def next_end(self) -> int | None:
        """The watermark (microseconds) at which the first of the held rows are due; `None`: none by a watermark."""

    def due(self, rows: pa.Table, watermark: int, *, over: bool) -> pa.Table:
        """Take in new rows and give out those that are due.

        Args:
            rows: columns of `row_schema`, in output order, after those of earlier calls.
            watermark: in microseconds.
            over: no further row can come: every period ends.
        """

    def tables(self) -> dict[str, pl.DataFrame]:
        """The state."""

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Go on from what `tables` gave."""


def build_output_rate(query: Query) -> OutputRate | None:
    """What OUTPUT asks for; `None`: every row is handed over at once."""
    rate = query.output_rate
    if rate is None:
        return None
    return (
        _EveryMatches(query, rate, rate.every) if isinstance(rate.every, int) else _EveryTime(query, rate, rate.every)
    )


class _EveryTime:
    """Periods of time, aligned to the epoch; a row lies in that of its `_time`."""

    def __init__(self, query: Query, rate: Output, every: timedelta) -> None:
        self._which, self._every = rate.which, micros(every)
        self._groups = group_names(query)
        self._schema = row_schema(query)
        self.held = self._schema.empty_table()
        self._begun = self._periods(self.held)

    @property
    def next_end(self) -> int | None:
        """See `OutputRate.next_end`."""
        if not self.held.num_rows:
            return None
        earliest: int = self._periods(self.held)[_PERIOD].min()  # type: ignore[assignment] # an integer column
        return (earliest + 1) * self._every

    def _periods(self, rows: pa.Table) -> pl.DataFrame:
        """Group and period of each row."""
        period = (pl.col("_time").to_physical() // self._every).alias(_PERIOD)
        return frame_of(rows, [*self._groups, "_time"]).select(*self._groups, period)

    def due(self, rows: pa.Table, watermark: int, *, over: bool) -> pa.Table:
        """See `OutputRate.due`."""
        if self._which == "FIRST":
            return self._first(rows, watermark)
        rows = pa.concat_tables([self.held, rows])
        periods = self._periods(rows)
        if self._which == "LAST":
            last = periods.select(pl.struct(periods.columns).is_last_distinct()).to_series()
            rows, periods = rows.filter(last.to_arrow()), periods.filter(last)
        ended = periods.select(self._ended(watermark) | over).to_series()
        self.held = rows.filter((~ended).to_arrow())
        return rows.filter(ended.to_arrow())

    def _ended(self, watermark: int) -> pl.Expr:
        return (pl.col(_PERIOD) + 1) * self._every <= watermark

    def _first(self, rows: pa.Table, watermark: int) -> pa.Table:
        """Rows of periods of which none was handed over; periods that have ended are forgotten."""
        keys = [*self._groups, _PERIOD]
        periods = self._periods(rows).with_row_index(_PLACE).unique(keys, keep="first", maintain_order=True)
        new = periods.join(self._begun, on=keys, how="anti", nulls_equal=True, maintain_order="left")
        self._begun = pl.concat([self._begun, new.drop(_PLACE)]).filter(~self._ended(watermark))
        return rows.take(new[_PLACE].to_arrow())

    def tables(self) -> dict[str, pl.DataFrame]:
        """See `OutputRate.tables`."""
        return {"rate.held": _frame(self.held), "rate.begun": self._begun}

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """See `OutputRate.load`."""
        self.held, self._begun = _table(tables["rate.held"], self._schema), tables["rate.begun"]


class _EveryMatches:
    """Periods of so many matches of a group; the state has a count for each group."""

    def __init__(self, query: Query, rate: Output, size: int) -> None:
        self._which, self._size = rate.which, size
        self._groups = group_names(query)
        self._schema = row_schema(query).append(pa.field(_NUMBER, pa.int64()))
        self.held = self._schema.empty_table()
        self._counts = frame_of(self.held, [*self._groups, _NUMBER]).rename({_NUMBER: _COUNT})

    @property
    def next_end(self) -> int | None:
        """See `OutputRate.next_end`: only further matches fill a period."""
        return None

    def due(self, rows: pa.Table, watermark: int, *, over: bool) -> pa.Table:  # noqa: ARG002 - the protocol's
        """See `OutputRate.due`."""
        rows = self._numbered(rows)
        if self._which == "FIRST":
            place = frame_of(rows, [_NUMBER]).to_series() % self._size
            return rows.filter((place == 0).to_arrow()).drop_columns([_NUMBER])
        rows = pa.concat_tables([self.held, rows])
        places = self._places(rows)
        full = places.filter(pl.col("full")).sort("end", _PLACE)[_PLACE]
        rest = places.filter(~pl.col("full"))[_PLACE]
        self.held = rows.take((rest.clear() if over else rest).to_arrow())
        return rows.take((pl.concat([full, rest]) if over else full).to_arrow()).drop_columns([_NUMBER])

    def _numbered(self, rows: pa.Table) -> pa.Table:
        """New rows with their places in their groups, from 0 on."""
        groups = frame_of(rows, self._groups)
        before = groups.join(self._counts, on=self._groups, how="left", nulls_equal=True, maintain_order="left")
        rank = groups.select(pl.int_range(pl.len(), dtype=pl.Int64).over(self._groups)).to_series()
        number = before[_COUNT].fill_null(0) + rank
        more = groups.group_by(self._groups).agg(pl.len().cast(pl.Int64).alias(_COUNT))
        self._counts = pl.concat([self._counts, more]).group_by(self._groups, maintain_order=True).agg(pl.sum(_COUNT))
        return rows.append_column(pa.field(_NUMBER, pa.int64()), number.to_arrow())

    def _places(self, rows: pa.Table) -> pl.DataFrame:
        """Of the rows that are handed over at their period's end: place, place of its last row, whether it is full."""
        period = [*self._groups, _PERIOD]
        frame = (
            frame_of(rows, [*self._groups, _NUMBER])
            .with_row_index(_PLACE)
            .with_columns((pl.col(_NUMBER) // self._size).alias(_PERIOD))
            .with_columns(
                (pl.col(_NUMBER).max().over(period) % self._size == self._size - 1).alias("full"),
                pl.col(_PLACE).max().over(period).alias("end"),
            )
        )
        return frame.filter(pl.col(_PLACE) == pl.col("end")) if self._which == "LAST" else frame

    def tables(self) -> dict[str, pl.DataFrame]:
        """See `OutputRate.tables`."""
        return {"rate.held": _frame(self.held), "rate.counts": self._counts}

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """See `OutputRate.load`."""
        self.held, self._counts = _table(tables["rate.held"], self._schema), tables["rate.counts"]


def _frame(rows: pa.Table) -> pl.DataFrame:
    return cast("pl.DataFrame", pl.from_arrow(rows))


def _table(frame: pl.DataFrame, schema: pa.Schema) -> pa.Table:
    return frame.to_arrow().cast(schema)
