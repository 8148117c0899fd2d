"""One variable's candidates in; windows and their aggregates out."""

from __future__ import annotations

from .aggregation import AggregationKernel
from .window_frames import Windows

__all__ = ["AggregationKernel", "Windows"]
