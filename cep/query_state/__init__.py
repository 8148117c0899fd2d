"""A query and what its operator holds go in; the events of its state, and one for each partial match, come out."""

from __future__ import annotations

from .held_state import BoundEvents, HeldRows, HeldState, held_together
from .open_windows import held_by_windows, in_sliding_windows, latest_completion
from .placed_state import in_context_windows
from .state_tables import partial_table, state_table
from .watched_query import finds_more_when_watched, watch

__all__ = [
    "BoundEvents",
    "HeldRows",
    "HeldState",
    "finds_more_when_watched",
    "held_by_windows",
    "held_together",
    "in_context_windows",
    "in_sliding_windows",
    "latest_completion",
    "partial_table",
    "state_table",
    "watch",
]
