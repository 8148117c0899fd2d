"""A query and what its operator holds go in; the events of its state, and one for each partial match, come out."""

from __future__ import annotations

from .held_events import HeldState
from .state_tables import partial_table, state_table
from .watched_query import watched_query

__all__ = ["HeldState", "partial_table", "state_table", "watched_query"]
