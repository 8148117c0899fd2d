"""SELECT DISTINCT: a row whose items equal those of an earlier row is not reported again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import polars as pl
import pyarrow as pa

from ...expressions import frame_of
from ...language.nodes import COMPANION, Query
from .row_output import output_schema

__all__ = ["DistinctRows"]

_ROW = "#row"
_CHUNKS = 64


@dataclass(slots=True)
class DistinctRows:
    """Remembers the items of every row: the state grows with the number of distinct rows, up to a ceiling.

    Unbound equals unbound, NaN equals NaN and the zeros are equal, as in GROUP BY.

    Attributes:
        seen: the items of all rows so far, one column each.
    """

    query: Query
    seen: pl.DataFrame = field(init=False)

    def __post_init__(self) -> None:
        items = self.query.items
        selected = [item.name for item in items if not item.hidden or item.name.endswith(COMPANION)]
        self.seen = cast("pl.DataFrame", pl.from_arrow(output_schema(self.query).empty_table().select(selected)))

    def first(self, rows: pa.Table) -> pa.Table:
        """Those rows whose items come for the first time, in their order."""
        columns = self.seen.columns
        items = frame_of(rows, columns).with_row_index(_ROW).unique(columns, keep="first", maintain_order=True)
        # Looked for by what has come, which is little: what was seen may be much.
        known = self.seen.join(items, on=columns, how="semi", nulls_equal=True)
        new = items.join(known, on=columns, how="anti", nulls_equal=True, maintain_order="left")
        self.seen = pl.concat([self.seen, new.drop(_ROW)], rechunk=self.seen.n_chunks() > _CHUNKS)
        return rows if new.height == rows.num_rows else rows.take(new[_ROW].to_arrow())
