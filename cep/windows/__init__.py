"""One variable's candidates in; windows and their aggregates out."""

from __future__ import annotations

from .aggregation import AggregationKernel
from .external_windows import HELD, LAST, WINDOW, adopted_windows

__all__ = ["HELD", "LAST", "WINDOW", "AggregationKernel", "adopted_windows"]
