"""Event tables one after the other although their columns differ, as those of segments do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa

from ...errors import ArchiveError, Place
from ...storage import StoragePath
from .segment import TIME

__all__ = ["concatenated", "first_of_each_id", "select_columns", "union_by_name"]


def concatenated(*tables: pa.Table) -> pa.Table:
    """Plain tables one after the other, with the columns of all.

    Raises:
        ArchiveError: a column has types that do not go together.
    """
    return union_by_name([(Path(), table) for table in tables])


def union_by_name(parts: Sequence[tuple[StoragePath, pa.Table]]) -> pa.Table:
    """One table of all, with the columns of all; what a segment lacks is null, integers beside doubles are doubles."""
    types: dict[str, tuple[pa.DataType, StoragePath]] = {"_time": (TIME, Path()), "_id": (pa.string(), Path())}
    for path, part in parts:
        for field in part.schema:
            known, where = types.get(field.name, (field.type, path))
            types[field.name] = (_common(field.name, (known, where), (field.type, path)), where)
    schema = pa.schema([(name, kind) for name, (kind, _) in types.items()])
    return pa.concat_tables([_conform(part, schema) for _, part in parts]) if parts else schema.empty_table()


def _common(name: str, known: tuple[pa.DataType, StoragePath], new: tuple[pa.DataType, StoragePath]) -> pa.DataType:
    if known[0] == new[0]:
        return known[0]
    if {known[0], new[0]} == {pa.int64(), pa.float64()}:
        return pa.float64()
    raise ArchiveError(
        f"column '{name}' is {new[0]} here and {known[0]} in {known[1]}",
        place=Place(str(new[1])),
        hint="the attribute's datatype was changed; ask for columns that leave it out",
    )


def _conform(part: pa.Table, schema: pa.Schema) -> pa.Table:
    def column(field: pa.Field) -> pa.ChunkedArray | pa.Array:
        if field.name not in part.column_names:
            return pa.nulls(part.num_rows, field.type)
        return part[field.name].cast(field.type, safe=False)

    return pa.table([column(field) for field in schema], schema=schema)


def select_columns(events: pa.Table, columns: Iterable[str]) -> pa.Table:
    """Columns in the wanted order; one that the events lack is null."""
    known = set(events.column_names)
    return pa.table({name: events[name] if name in known else pa.nulls(events.num_rows) for name in columns})


def first_of_each_id(events: pa.Table) -> pa.Table:
    """The events, each `_id` once: the first."""
    ids = pl.Series(events["_id"])
    return events if ids.n_unique() == len(ids) else events.filter(ids.is_first_distinct().to_arrow())
