"""The total order of events: join keys, places, neighbours, distances in time."""

from __future__ import annotations

from .candidates import PLACE, Candidates, empty_candidates, number_events, numbered_events
from .contiguity import BEFORE, EVENTS, NUMBER, OF_WINDOW, Contiguity, all_events, event_columns, sees_all_events
from .difference_bounds import UNBOUNDED, Bounds, bounds_with_last
from .event_table import EventTable, of_query
from .interval import Interval
from .join_keys import combine, group_codes, joint_codes, key_expressions, physical, row_tuples, stable_order
from .output_order import binding_columns, settle_ties
from .shared_events import SharedEvents, held_bytes
from .timer_intervals import with_timer_intervals

__all__ = [
    "BEFORE",
    "EVENTS",
    "NUMBER",
    "OF_WINDOW",
    "PLACE",
    "UNBOUNDED",
    "Bounds",
    "Candidates",
    "Contiguity",
    "EventTable",
    "Interval",
    "SharedEvents",
    "all_events",
    "binding_columns",
    "bounds_with_last",
    "combine",
    "empty_candidates",
    "event_columns",
    "group_codes",
    "held_bytes",
    "joint_codes",
    "key_expressions",
    "number_events",
    "numbered_events",
    "of_query",
    "physical",
    "row_tuples",
    "sees_all_events",
    "settle_ties",
    "stable_order",
    "with_timer_intervals",
]
