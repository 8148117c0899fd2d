"""In go the candidates of each event variable as Arrow tables, out come the rows of the query in output order."""

from __future__ import annotations

from .adoption import HELD, LAST, WINDOW, adopted_matches, adopted_windows
from .contiguity import EVENTS, all_events, event_columns, sees_all_events
from .filter import Filter, apply_filters
from .frames import frame_of
from .implied import implied_filters
from .interval import Interval
from .operator import END_OF_TIME, Operator, build_operator
from .output import Matches, output_schema
from .runs import Limits, ending_events

__all__ = [
    "END_OF_TIME",
    "EVENTS",
    "HELD",
    "LAST",
    "WINDOW",
    "Filter",
    "Interval",
    "Limits",
    "Matches",
    "Operator",
    "adopted_matches",
    "adopted_windows",
    "all_events",
    "apply_filters",
    "build_operator",
    "ending_events",
    "event_columns",
    "frame_of",
    "implied_filters",
    "output_schema",
    "sees_all_events",
]
