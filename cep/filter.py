"""FILTERs: conditions on one variable's candidates."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ..language.columns import column_expression, plain_name
from ..language.expressions import Expression
from .expressions import columns_of
from .frames import frame_of, mask_of

__all__ = ["apply_filters"]


def apply_filters(table: pa.Table, filters: Sequence[Expression]) -> pa.Table:
    """Keep the rows of which every filter is true; false and unbound are both dropped.

    Args:
        table: one variable's events; every column that the filters mention is there by its plain name.
        filters: FILTERs of that variable alone.

    Returns:
        The rows that are left, with all columns, in the same order.
    """
    if not filters or not table.num_rows:
        return table
    names = sorted({plain_name(node) for e in filters for node in columns_of(e)})
    frame = frame_of(table, names or table.column_names[:1])
    mask = mask_of(frame, [column_expression(e) for e in filters])
    return table if mask.all() else _without_views(table).filter(pa.array(mask))


def _without_views(table: pa.Table) -> pa.Table:
    """Arrow has no kernel that filters string views."""
    kinds = [pa.string() if pa.types.is_string_view(field.type) else field.type for field in table.schema]
    if kinds == table.schema.types:
        return table
    return table.cast(pa.schema([field.with_type(kind) for field, kind in zip(table.schema, kinds, strict=True)]))
