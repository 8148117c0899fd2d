"""In go the candidates of each event variable as Arrow tables, out come the rows of the query in output order."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .limits import Limits
from .time_limit import limit_time

if TYPE_CHECKING:
    from .event_filter import Filter, apply_filters
    from .joint import AlikeForm, Arrived, JointMember, JointOperator, alike_form, key_of
    from .match import CommonSteps
    from .operator import END_OF_TIME, Operator
    from .output import RowCounts, adopted_matches
    from .partitions import (
        CONTEXT_WINDOWS,
        NO_END,
        NO_START,
        WINDOW_COLUMN,
        is_shared,
        is_windowed,
        key_columns,
        partitioned_by_window,
        why_apart,
        windows_schema,
    )
    from .query_operator import QueryOperator, build_operator
    from .settled_query import joined_rows, with_doubles
    from .snapshot_codec import TakenState
    from .state_horizon import horizon_of
    from .windows import HELD, LAST, WINDOW, adopted_windows

_LATER = {
    "AlikeForm": ".joint",
    "Arrived": ".joint",
    "JointMember": ".joint",
    "JointOperator": ".joint",
    "QueryOperator": ".query_operator",
    "alike_form": ".joint",
    "key_of": ".joint",
    "CONTEXT_WINDOWS": ".partitions",
    "CommonSteps": ".match",
    "END_OF_TIME": ".operator",
    "HELD": ".windows",
    "LAST": ".windows",
    "NO_END": ".partitions",
    "NO_START": ".partitions",
    "WINDOW": ".windows",
    "WINDOW_COLUMN": ".partitions",
    "Filter": ".event_filter",
    "Operator": ".operator",
    "RowCounts": ".output",
    "TakenState": ".snapshot_codec",
    "adopted_matches": ".output",
    "adopted_windows": ".windows",
    "apply_filters": ".event_filter",
    "build_operator": ".query_operator",
    "horizon_of": ".state_horizon",
    "is_shared": ".partitions",
    "is_windowed": ".partitions",
    "joined_rows": ".settled_query",
    "key_columns": ".partitions",
    "partitioned_by_window": ".partitions",
    "why_apart": ".partitions",
    "windows_schema": ".partitions",
    "with_doubles": ".settled_query",
}

__all__ = [
    "CONTEXT_WINDOWS",
    "END_OF_TIME",
    "HELD",
    "LAST",
    "NO_END",
    "NO_START",
    "WINDOW",
    "WINDOW_COLUMN",
    "AlikeForm",
    "Arrived",
    "CommonSteps",
    "Filter",
    "JointMember",
    "JointOperator",
    "Limits",
    "Operator",
    "QueryOperator",
    "RowCounts",
    "TakenState",
    "adopted_matches",
    "adopted_windows",
    "alike_form",
    "apply_filters",
    "build_operator",
    "horizon_of",
    "is_shared",
    "is_windowed",
    "joined_rows",
    "key_columns",
    "key_of",
    "limit_time",
    "partitioned_by_window",
    "why_apart",
    "windows_schema",
    "with_doubles",
]


def __getattr__(name: str) -> object:
    """What runs queries, on first use: a question about one event needs its FILTERs only."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
