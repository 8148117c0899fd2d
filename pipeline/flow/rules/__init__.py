"""Rows in; what rules do with them out: calls of the project's actions, and events of derived streams."""

from __future__ import annotations

from .action_calls import CALLS, FiringOrder, by_time, in_order, order_columns, shown_calls
from .emitted_events import EventTypes, event_types, fitted, united
from .rule_firing import CALLED, PLACE, RuleFiring, RulePlace, with_places

__all__ = [
    "CALLED",
    "CALLS",
    "PLACE",
    "EventTypes",
    "FiringOrder",
    "RuleFiring",
    "RulePlace",
    "by_time",
    "event_types",
    "fitted",
    "in_order",
    "order_columns",
    "shown_calls",
    "united",
    "with_places",
]
