"""Where a row comes from: `_source` says whether the archive or the live stream made it certain.

`_recovered` says that it was missed while no engine ran, and comes after the restart.
"""

from __future__ import annotations

from typing import Literal

import pyarrow as pa

__all__ = ["RECOVERED", "SOURCE", "RowSource", "marked", "unmarked"]

RowSource = Literal["archive", "live"]
SOURCE, RECOVERED = "_source", "_recovered"


def marked(rows: pa.Table, source: RowSource, *, recovered: bool = False) -> pa.Table:
    """Rows that say where they come from; those that do already are left as they are."""
    if SOURCE in rows.column_names:
        return rows
    count = rows.num_rows
    with_source = rows.append_column(SOURCE, pa.repeat(pa.scalar(source), count))
    return with_source.append_column(RECOVERED, pa.repeat(pa.scalar(recovered), count))


def unmarked(rows: pa.Table) -> pa.Table:
    """Rows as queries give them."""
    return rows.drop_columns([SOURCE, RECOVERED])
