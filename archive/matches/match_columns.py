"""Rows of a query as the log keeps them: columns of plain types, `_time` first."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ..log import plain_table
from .provenance import Provenance

ORIGIN, START, END, CONTEXT, SAMPLED = "_origin", "_window_start", "_window_end", "_context", "_sampled"
_OWN = ("_time", "_id", "_events", "_window")


def flat(rows: pa.Table, provenance: Provenance) -> pa.Table:
    """Put rows into the log's form.

    Args:
        rows: as queries give them: items, `_time`, `_events`, perhaps `_window` and `_context`, `_id`.
        provenance: of all of them.

    Returns:
        `_time`, `_id`, `_origin`, `_window_start` and `_window_end` where there are windows, a list of event ids named
        `?x` for each variable x, the items, `_context` where there are contexts, `_sampled` where
        not all events were looked at; durations in microseconds.
    """
    columns = {"_time": rows["_time"], "_id": rows["_id"]}
    columns[ORIGIN] = pa.repeat(pa.scalar(provenance.digest), rows.num_rows)
    if "_window" in rows.column_names:
        columns |= {name: pc.struct_field(rows["_window"], field) for name, field in ((START, "start"), (END, "end"))}
    events = rows["_events"]
    for variable in events.type.names:
        columns[f"?{variable}"] = pc.struct_field(events, variable)
    for name in rows.column_names:
        if name not in _OWN:
            columns[name] = _counted(rows[name])
    return plain_table(pa.table(columns))


def _counted(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Parquet has no durations: they are kept as their microseconds."""
    if pa.types.is_duration(column.type):
        return column.cast(pa.duration("us")).cast(pa.int64())
    if pa.types.is_list(column.type) and pa.types.is_duration(column.type.value_type):
        return column.cast(pa.list_(pa.int64()))
    return column
