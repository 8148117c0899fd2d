"""The planner: a query and the moment of its registration go in; what is asked of past, present and seam comes out."""

from __future__ import annotations

from .archive_gap import wait_for_archive
from .backfill_chunks import (
    ROWS_AT_ONCE,
    BackfillChunk,
    BackfillRequest,
    Seam,
    Watermarks,
    covering_range,
    lowest_watermark,
)
from .rewritten_past import Rewritten, rewrite
from .strategies import Strategy, candidate_queries
from .strategy_choice import Choice, choose
from .within_bounds import Range, bounds_in_words, duration_in_words, resolve_bounds, speaks_of_the_past

__all__ = [
    "ROWS_AT_ONCE",
    "BackfillChunk",
    "BackfillRequest",
    "Choice",
    "Range",
    "Rewritten",
    "Seam",
    "Strategy",
    "Watermarks",
    "bounds_in_words",
    "candidate_queries",
    "choose",
    "covering_range",
    "duration_in_words",
    "lowest_watermark",
    "resolve_bounds",
    "rewrite",
    "speaks_of_the_past",
    "wait_for_archive",
]
