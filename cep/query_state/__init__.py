"""A query and what its operator holds go in; the events of its state, and one for each partial match, come out."""

from __future__ import annotations

from .held_state import HeldState
from .open_windows import in_sliding_windows, open_windows
from .state_tables import partial_table, state_table
from .watched_query import watched_query

__all__ = ["HeldState", "in_sliding_windows", "open_windows", "partial_table", "state_table", "watched_query"]
