"""The planner: a query and the moment of its registration go in; what is asked of past, present and seam comes out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .backfill_chunks import (
    ROWS_AT_ONCE,
    BackfillChunk,
    BackfillRequest,
    Seam,
    TimeRange,
    Watermarks,
    covering_range,
    lowest_watermark,
    replayed,
)
from .within_bounds import Range, bounds_in_words, duration_in_words, resolve_bounds, speaks_of_the_past

if TYPE_CHECKING:
    from .archive_gap import wait_for_archive
    from .rewritten_past import Rewritten, rewrite
    from .strategies import Strategy, candidate_queries
    from .strategy_choice import Choice, choose

_LATER = {
    "Choice": ".strategy_choice",
    "Rewritten": ".rewritten_past",
    "Strategy": ".strategies",
    "candidate_queries": ".strategies",
    "choose": ".strategy_choice",
    "rewrite": ".rewritten_past",
    "wait_for_archive": ".archive_gap",
}

__all__ = [
    "ROWS_AT_ONCE",
    "BackfillChunk",
    "BackfillRequest",
    "Choice",
    "Range",
    "Rewritten",
    "Seam",
    "Strategy",
    "TimeRange",
    "Watermarks",
    "bounds_in_words",
    "candidate_queries",
    "choose",
    "covering_range",
    "duration_in_words",
    "lowest_watermark",
    "replayed",
    "resolve_bounds",
    "rewrite",
    "speaks_of_the_past",
    "wait_for_archive",
]


def __getattr__(name: str) -> object:
    """What asks an archive, on first use: whoever looks at queries that have no past needs none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
