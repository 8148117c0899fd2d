"""Aggregates over ranges of rows, event by event, and over one event, as their entries say."""

from __future__ import annotations

import polars as pl

from ...language.nodes import Aggregate, Column, Expression, ValueType, with_operands
from .. import terms
from ..column_types import POLARS_TYPES
from ..columns import column_expression
from ..frames import Ints, column_of
from .aggregate_function import Accumulator
from .aggregate_table import AGGREGATES
from .value_ranges import ValueRanges

__all__ = [
    "accumulator_of",
    "aggregate_ranges",
    "aggregated_values",
    "gives_several",
    "of_single_events",
    "takes_numbers",
]


def takes_numbers(e: Aggregate) -> bool:
    """Whether of the RDF terms that it is taken of the numbers are meant."""
    of_terms = e.argument is not None and e.argument.type is ValueType.TERM
    return of_terms and AGGREGATES[e.function].signature.argument == "a number"


def gives_several(e: Aggregate) -> bool:
    """Whether its result is a list."""
    return AGGREGATES[e.function].signature.several


def aggregated_values(e: Aggregate, frame: pl.DataFrame) -> pl.Series:
    """What is aggregated, row by row of a frame of candidates; of `COUNT(?e)` the ids of the events."""
    if e.argument is None:
        return frame["_id"]
    value = column_expression(e.argument)
    return column_of(frame, terms.number(value) if takes_numbers(e) else value)


def aggregate_ranges(e: Aggregate, values: pl.Series, start: Ints, end: Ints) -> pl.Series:
    """The aggregate of each range of rows `[start[i], end[i])`.

    Args:
        e: what to compute.
        values: what it is computed of, row by row.
        start: first rows, ascending.
        end: rows behind the last, ascending; no range is empty.

    Returns:
        A column of `POLARS_TYPES[e.type]`, or of lists of values.
    """
    found = AGGREGATES[e.function].ranges(e, ValueRanges.of(values, start, end))
    return found if gives_several(e) else found.cast(POLARS_TYPES[e.type])


def accumulator_of(e: Aggregate) -> Accumulator:
    """How it grows event by event; `value(None)` is what it is of no event."""
    return AGGREGATES[e.function].accumulator(e)


def of_single_events(e: Expression) -> Expression:
    """`e` with its aggregates over runs of one event replaced by what they are (docs/semantics.md 3.10)."""
    if not isinstance(e, Aggregate):
        return with_operands(e, of_single_events)
    x = Column(e.variable, "_id", ValueType.IRI, e.span) if e.argument is None else e.argument
    return AGGREGATES[e.function].single(e, x)
