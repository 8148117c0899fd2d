"""Calls of rules, without rules."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
from kaicep.pipeline.flow.rules.action_calls import CALLS, FiringOrder, order_columns

__all__ = ["calls"]


def calls(order: FiringOrder, *rows: tuple[int, str]) -> pa.Table:
    """Calls for rows, given by their second and their place, as a rule hands them over."""
    columns = {
        "rule": [f"r{order.rule}"] * len(rows),
        "_id": [f"{order.rule}{row}" for _, row in rows],
        "action": ["x"] * len(rows),
        "_time": [datetime.fromtimestamp(time, UTC) for time, _ in rows],
        "arguments": [f'{{"b": {time}, "a": null}}' for time, _ in rows],
    }
    table = pa.table(columns, schema=CALLS)
    for name, column in order_columns(order, pa.chunked_array([[row for _, row in rows]])).items():
        table = table.append_column(name, column)
    return table
