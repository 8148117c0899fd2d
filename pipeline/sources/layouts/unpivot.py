"""A wide table, a column for each point, as one row for each value.

Source: UNPIVOT of DuckDB and SQL Server; `DataFrame.unpivot` of Polars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..records import concatenate

__all__ = ["Unpivoted", "unpivot_table"]


@dataclass(frozen=True, slots=True)
class Unpivoted:
    """A table with a row for each value of a wide one.

    Attributes:
        table: the other columns, repeated, then the names and the values.
        rows: int64, the row of the wide table that each row comes from.
    """

    table: pa.Table
    rows: np.ndarray


def unpivot_table(wide: pa.Table, on: Sequence[str], name: str, value: str) -> Unpivoted:
    """Make a row of each value that is there, row by row of the wide table, then column by column.

    Args:
        wide: any columns.
        on: those that are unpivoted; all others are repeated.
        name: of the new column that says which of them a value stood in (a dictionary of strings).
        value: of the new column of values; numbers of several kinds become one kind, what has no kind in common text.
    """
    kept = [column for column in wide.column_names if column not in {*on, name, value}]
    if not on or not wide.num_rows:
        empty = {name: pa.array([], pa.string()), value: pa.array([], pa.string())}
        columns = {column: wide[column].slice(0, 0) for column in kept}
        return Unpivoted(pa.table({**columns, **empty}), np.arange(0))
    values = concatenate([pa.table({value: wide[column]}) for column in on])[value].combine_chunks()
    by_row = np.arange(wide.num_rows * len(on)).reshape(len(on), wide.num_rows).T.ravel()
    there = by_row[pc.is_valid(values).to_numpy(zero_copy_only=False)[by_row]]
    rows = there % wide.num_rows
    repeated = wide.select(kept).take(pa.array(rows)) if kept else pa.table({})
    names = pa.DictionaryArray.from_arrays(pa.array((there // wide.num_rows).astype(np.int32)), pa.array(list(on)))
    columns = {column: repeated[column] for column in kept}
    return Unpivoted(pa.table({**columns, name: names, value: values.take(pa.array(there))}), rows)
