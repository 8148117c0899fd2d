"""The planner: a query and the moment of its registration go in; what is asked of past, present and seam comes out."""

from __future__ import annotations

from .archive_gap import wait_for_archive
from .backfill import ROWS_AT_ONCE, Asked, Part, Seam, Watermarks, smallest, span_of
from .explain_past import outline, speaks_of_the_past
from .query_plan import explain
from .strategies import Strategy
from .strategy_choice import Choice, choose
from .within import Range, bounds_in_words, resolve_bounds

__all__ = [
    "ROWS_AT_ONCE",
    "Asked",
    "Choice",
    "Part",
    "Range",
    "Seam",
    "Strategy",
    "Watermarks",
    "bounds_in_words",
    "choose",
    "explain",
    "outline",
    "resolve_bounds",
    "smallest",
    "span_of",
    "speaks_of_the_past",
    "wait_for_archive",
]
