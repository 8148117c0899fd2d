"""The planner: a query and the moment of its registration go in; what is asked of past, present and seam comes out."""

from __future__ import annotations

from .archive_gap import wait_for_archive
from .backfill import ROWS_AT_ONCE, BackfillChunk, BackfillRequest, Seam, Watermarks, covering_range, lowest_watermark
from .explain_past import outline, speaks_of_the_past
from .query_plan import explain
from .strategies import Strategy
from .strategy_choice import Choice, choose
from .within import Range, bounds_in_words, resolve_bounds

__all__ = [
    "ROWS_AT_ONCE",
    "BackfillChunk",
    "BackfillRequest",
    "Choice",
    "Range",
    "Seam",
    "Strategy",
    "Watermarks",
    "bounds_in_words",
    "choose",
    "covering_range",
    "explain",
    "lowest_watermark",
    "outline",
    "resolve_bounds",
    "speaks_of_the_past",
    "wait_for_archive",
]
