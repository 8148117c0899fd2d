"""FIRST, LAST and LIST: bound values by their places in time order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from ...language.nodes import Aggregate, AggregateSignature, ConstantParameter, Expression, UnitRule, ValueType
from .aggregate_function import Accumulator, AggregateFunction, appended, left_to_operators, unbound
from .value_ranges import ValueRanges

__all__ = ["FIRST", "LAST", "LIST"]


def _offset(e: Aggregate) -> int:
    return int(e.parameters[0]) if e.parameters else 0


def _nth(ranges: ValueRanges, place: int) -> pl.Series:
    """The bound value at a place of each range, counted from its end if below 0."""
    rows = np.flatnonzero(ranges.bound)
    first = np.searchsorted(rows, ranges.start)
    wanted = first + place if place >= 0 else first + ranges.count + place
    beyond = ranges.count <= (place if place >= 0 else -1 - place)
    found = ranges.values.gather(rows[np.where(beyond, 0, wanted)]) if len(rows) else ranges.values.clear()
    if not len(rows):
        return pl.Series([None] * len(wanted), dtype=ranges.values.dtype)
    return found.set(pl.Series(beyond), None) if beyond.any() else found


def _single(e: Aggregate, x: Expression) -> Expression:
    return unbound(e.span) if _offset(e) else x


def _positioned(name: str, doc: str, place: Callable[[int], int]) -> AggregateFunction:
    """`place`: for an offset the place among the bound values, counted from their end if below 0."""
    count = ConstantParameter(
        0,
        lambda number: isinstance(number, int) and number >= 0,
        f"{name} counts in whole events",
        f"write {name} (?b.attribute, 2)",
        counts_events=True,
    )

    def accumulator(e: Aggregate) -> Accumulator:
        index = place(_offset(e))
        needed = index + 1 if index >= 0 else -index
        return Accumulator(appended, lambda state: state[index] if state and len(state) >= needed else None)

    return AggregateFunction(
        name=name,
        usage=f"{name}(x), {name}(x, k)",
        doc=doc,
        signature=AggregateSignature(
            "a value", (count,), None, UnitRule.KEPT, distinct=False, of_events=False, several=False
        ),
        ranges=lambda e, ranges: _nth(ranges, place(_offset(e))),
        accumulator=accumulator,
        single=_single,
        sparql=left_to_operators,
    )


FIRST = _positioned("FIRST", "the first value; with a number, the one so many values after it", lambda k: k)
LAST = _positioned("LAST", "the last value; with a number, the one so many values before it", lambda k: -1 - k)


def _lists(_e: Aggregate, ranges: ValueRanges) -> pl.Series:
    rows, offsets = ranges.bound_rows()
    listed = pa.LargeListArray.from_arrays(
        pa.array(offsets), ranges.values.gather(rows).to_arrow(), mask=pa.array(ranges.count == 0)
    )
    return pl.Series(listed)


def _listed(state: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    return state or None


LIST = AggregateFunction(
    name="LIST",
    usage="LIST(x)",
    doc="all values in time order, as an item of SELECT by itself",
    signature=AggregateSignature(
        "a value", (), ValueType.TERM, UnitRule.KEPT, distinct=False, of_events=False, several=True
    ),
    ranges=_lists,
    accumulator=lambda _e: Accumulator(appended, _listed),
    single=_single,
    sparql=left_to_operators,
)
