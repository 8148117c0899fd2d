"""Rows in; what rules do with them out: calls of the project's actions, and events of derived streams."""

from __future__ import annotations

from .action_calls import CALLS, FiringOrder, in_order, order_columns, shown_calls

__all__ = ["CALLS", "FiringOrder", "in_order", "order_columns", "shown_calls"]
