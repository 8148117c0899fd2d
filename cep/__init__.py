"""In go the candidates of each event variable as Arrow tables, out come the rows of the query in output order."""

from __future__ import annotations

from .event_filter import Filter, apply_filters
from .limits import Limits
from .operator import END_OF_TIME, Operator, build_operator
from .output import RowCounts, adopted_matches
from .settled_query import COMPANION, joined_rows, with_doubles
from .windows import HELD, LAST, WINDOW, adopted_windows

__all__ = [
    "COMPANION",
    "END_OF_TIME",
    "HELD",
    "LAST",
    "WINDOW",
    "Filter",
    "Limits",
    "Operator",
    "RowCounts",
    "adopted_matches",
    "adopted_windows",
    "apply_filters",
    "build_operator",
    "joined_rows",
    "with_doubles",
]
