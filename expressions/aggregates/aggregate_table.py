"""All aggregates, by name."""

from __future__ import annotations

from .aggregate_function import AggregateFunction
from .change_measures import NEW, OLD
from .count import COUNT
from .deviation import STDDEV
from .extremes import MAX, MIN
from .mode import MODE
from .positions import FIRST, LAST, LIST
from .quantiles import MEDIAN, PERCENTILE
from .total import AVG, SUM

__all__ = ["AGGREGATES"]

AGGREGATES: dict[str, AggregateFunction] = {
    aggregate.name: aggregate
    for aggregate in (COUNT, SUM, AVG, STDDEV, MEDIAN, PERCENTILE, MODE, MIN, MAX, FIRST, LAST, LIST, OLD, NEW)
}
"""In the order of the reference."""
