"""Aggregates: one entry each, with its signature and all of its meanings, and how they are evaluated."""

from __future__ import annotations

from .aggregate_dispatch import (
    accumulator_of,
    aggregate_ranges,
    aggregated_values,
    gives_several,
    of_single_events,
    takes_numbers,
)
from .aggregate_function import Accumulator, AggregateFunction
from .aggregate_table import AGGREGATES
from .change_measures import CHANGES, ChangeFunction

__all__ = [
    "AGGREGATES",
    "CHANGES",
    "Accumulator",
    "AggregateFunction",
    "ChangeFunction",
    "accumulator_of",
    "aggregate_ranges",
    "aggregated_values",
    "gives_several",
    "of_single_events",
    "takes_numbers",
]
