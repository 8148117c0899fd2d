"""FILTERs: conditions on one variable's candidates."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pyarrow as pa

from ..expressions import Bools, Threshold, all_of, column_expression, frame_of, mask_by, plain_name, threshold_of
from ..language.nodes import Expression, columns_of

__all__ = ["Filter", "apply_filters", "without_views"]


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
    test = Filter(filters)
    mask = test.mask(frame_of(table, sorted(test.columns) or table.column_names[:1]))
    return table if mask.all() else without_views(table).filter(pa.array(mask))


class Filter:
    """FILTERs of one variable, made ready for many tables.

    Args:
        filters: the conditions, all of which have to be true.

    Attributes:
        columns: the plain names of the columns that they mention.
    """

    def __init__(self, filters: Sequence[Expression]) -> None:
        self.columns = frozenset(plain_name(node) for e in filters for node in columns_of(e))
        self._conditions = tuple(filters)
        tests = [column_expression(e) for e in filters]
        self._test = all_of(tests)
        self._thresholds = [threshold_of(e) for e in filters]
        self._tests = [test.fill_null(value=False) for test in tests]

    def mask(self, frame: pl.DataFrame) -> Bools:
        """Which rows of one variable's events every filter is true of."""
        return mask_by(frame, self._test)

    def test_of(self, place: int) -> pl.Expr:
        """One of the filters, true or false of each row."""
        return self._tests[place]

    def condition_of(self, place: int) -> Expression:
        """One of the filters."""
        return self._conditions[place]

    def threshold_of(self, place: int) -> Threshold | None:
        """One of the filters, where it is a threshold."""
        return self._thresholds[place]

    def mask_of(self, place: int, frame: pl.DataFrame) -> Bools:
        """Which rows one of the filters is true of."""
        return mask_by(frame, self._tests[place])


def without_views(table: pa.Table) -> pa.Table:
    """The same with plain strings: Arrow has no kernels that filter or take string views."""
    kinds = [pa.string() if pa.types.is_string_view(field.type) else field.type for field in table.schema]
    if kinds == table.schema.types:
        return table
    return table.cast(pa.schema([field.with_type(kind) for field, kind in zip(table.schema, kinds, strict=True)]))
