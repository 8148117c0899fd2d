"""Conditions over windows of candidates: of many windows at once."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ...expressions import (
    Bools,
    Ints,
    aggregate_ranges,
    aggregated_values,
    column_expression,
    mask_of,
    plain_name,
    settled,
)
from ...language.nodes import Aggregate, Binding, Column, Expression, aggregates_of, plain_columns, structural_key

__all__ = ["WindowConditions"]


class WindowConditions:
    """What has to be true of a window and of its new event.

    Args:
        conditions: all of them have to be.
        frame: the candidates.
        order: those that windows hold, one behind the other; `None`: as they are.
    """

    def __init__(self, conditions: Sequence[Expression], frame: pl.DataFrame, order: Ints | None) -> None:
        conditions = [settled(e) for e in conditions]
        found = {structural_key(a): a for e in conditions for a in aggregates_of(e)}
        self._names = {key: f"#{number}" for number, key in enumerate(found)}
        values = {self._name(a): (a, aggregated_values(a, frame)) for a in found.values()}
        self._values = {n: (a, of if order is None else of[order]) for n, (a, of) in values.items()}
        self._plain = frame.select(sorted({plain_name(node) for e in conditions for node in plain_columns(e)}))
        self._conditions = [column_expression(e, self._name) for e in conditions]

    def _name(self, node: Column | Binding | Aggregate) -> str:
        return self._names[structural_key(node)] if isinstance(node, Aggregate) else plain_name(node)

    def hold(self, start: Ints, end: Ints, own: Ints, rows: Ints | None = None) -> Bools:
        """Of which windows all are true.

        Args:
            start: the first places of windows in the order, ascending.
            end: the places behind the last, ascending; no window is empty.
            own: the rows of their new events.
            rows: places in the order, of which windows are made; `None`: of all of it.
        """
        columns = [
            aggregate_ranges(a, values if rows is None else values[rows], start, end).alias(name)
            for name, (a, values) in self._values.items()
        ]
        plain = self._plain[own].get_columns() if self._plain.width else []
        return mask_of(pl.DataFrame([pl.Series("#own", own), *columns, *plain]), self._conditions)
