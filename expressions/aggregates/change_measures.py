"""What has changed: the values at the older and the newer of two events (EStreams §5.1.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...language.nodes import (
    Aggregate,
    AggregateSignature,
    ChangeMeasure,
    ChangeSignature,
    Expression,
    UnitRule,
)
from .aggregate_function import Accumulator, AggregateFunction, left_to_operators, unbound
from .value_ranges import ValueRanges

__all__ = ["CHANGES", "NEW", "OLD", "ChangeFunction"]


@dataclass(frozen=True, slots=True)
class ChangeFunction:
    """A measure of change, which the checker writes with OLD and NEW.

    Attributes:
        name: in upper case.
        usage: how it is written, for the reference.
        doc: what it gives, in a line of the reference.
        signature: what the checker has to know.
    """

    name: str
    usage: str
    doc: str
    signature: ChangeSignature


ADIFF = ChangeFunction(
    name="ADIFF",
    usage="ADIFF(x)",
    doc="the newer value less the older one; of moments in seconds",
    signature=ChangeSignature(ChangeMeasure.DIFFERENCE, 1),
)
RDIFF = ChangeFunction(
    name="RDIFF",
    usage="RDIFF(x), RDIFF(x, p)",
    doc="that difference by the older value, to which `p` is added",
    signature=ChangeSignature(ChangeMeasure.RATIO, 1),
)
ASLOPE = ChangeFunction(
    name="ASLOPE",
    usage="ASLOPE(x, y), ASLOPE(x, y, p)",
    doc="the difference of `x` by that of `y`, to which `p` is added",
    signature=ChangeSignature(ChangeMeasure.SLOPE, 2),
)
CHANGES = (ADIFF, RDIFF, ASLOPE)
"""In the order of the reference."""

_State = tuple[int, Any, Any]
"""How many events, and the values at the first and at the last."""


def _oldest(_e: Aggregate, ranges: ValueRanges) -> pl.Series:
    """The value of each range's first row; unbound where there is one row."""
    alone = ranges.end - ranges.start == 1
    found = ranges.values.gather(ranges.start)
    return found.set(pl.Series(alone), None) if alone.any() else found


def _newest(_e: Aggregate, ranges: ValueRanges) -> pl.Series:
    return ranges.values.gather(ranges.end - 1)


def _add(state: _State | None, value: Any) -> _State:
    return (1, value, value) if state is None else (state[0] + 1, state[1], value)


def _first(state: _State | None) -> Any:
    return None if state is None or state[0] == 1 else state[1]


def _last(state: _State | None) -> Any:
    return None if state is None else state[2]


def _of_change(
    name: str,
    doc: str,
    ranges: Callable[[Aggregate, ValueRanges], pl.Series],
    value: Callable[[_State | None], Any],
    single: Callable[[Aggregate, Expression], Expression],
) -> AggregateFunction:
    return AggregateFunction(
        name=name,
        usage=f"{name}(x)",
        doc=doc,
        signature=AggregateSignature(
            "a value", (), None, UnitRule.KEPT, distinct=False, of_events=False, several=False
        ),
        ranges=ranges,
        accumulator=lambda _e: Accumulator(_add, value),
        single=single,
        sparql=left_to_operators,
    )


OLD = _of_change(
    "OLD",
    "the value at the older of two events; of an aggregate, at the report before",
    _oldest,
    _first,
    lambda e, _x: unbound(e.span),
)
NEW = _of_change("NEW", "the value at the newer of two events", _newest, _last, lambda _e, x: x)
