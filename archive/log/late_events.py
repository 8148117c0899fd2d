"""Late events: the archive has them like the others, and a column `_late` says which they are."""

from __future__ import annotations

import polars as pl
import pyarrow as pa

__all__ = ["late_rows"]


def late_rows(events: pa.Table) -> pl.Series | None:
    """Which events are late; `None`: none is, as where there is no such column."""
    if "_late" not in events.column_names:
        return None
    late = pl.Series(events["_late"]).cast(pl.Boolean).fill_null(value=False)
    return late if late.any() else None
