"""Calls of actions, as rules have made them: columns that are the same wherever calls go (LANGUAGE-2 §8)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

__all__ = ["CALLS", "FiringOrder", "by_time", "in_order", "order_columns", "shown_calls"]

CALLS = pa.schema(
    [
        pa.field("rule", pa.string(), nullable=False),
        pa.field("_id", pa.string(), nullable=False),
        pa.field("action", pa.string(), nullable=False),
        pa.field("_time", pa.timestamp("us", "UTC"), nullable=False),
        pa.field("arguments", pa.string(), nullable=False),
    ]
)
"""Which rule calls; what tells the call from all others (a digest of rule, row and the action's place: the key of
idempotency); the action's name; the `_time` of the row; the arguments as a JSON object, in their order."""

_ROW = "#row"


@dataclass(frozen=True, slots=True, order=True)
class FiringOrder:
    """Where what a rule does for a row stands among all that rules do for rows of that time.

    Attributes:
        deferred: DEFERRED rules come behind all others.
        stream: the place of the query, event or stream that the row is of; source streams come first.
        row: the row among those of its time and stream: its place, or the event's id.
        priority: 1 comes first, none last.
        rule: the place of the rule.
        action: among those of the rule.
    """

    deferred: bool
    stream: int
    row: str
    priority: int
    rule: int
    action: int

    @classmethod
    def of_query(cls, place: int) -> FiringOrder:
        """That of a deriving query, whose changes are made in the order of its rows."""
        return cls(deferred=False, stream=place, row="", priority=0, rule=0, action=0)


_ORDER = pa.schema(
    [
        pa.field("#deferred", pa.bool_()),
        pa.field("#stream", pa.int64()),
        pa.field(_ROW, pa.string()),
        pa.field("#priority", pa.int64()),
        pa.field("#rule", pa.int64()),
        pa.field("#action", pa.int64()),
    ]
)


def order_columns(order: FiringOrder, rows: pa.ChunkedArray) -> dict[str, pa.Array | pa.ChunkedArray]:
    """What `in_order` sorts calls by, in columns beside them.

    Args:
        order: of one action; its `row` is not looked at.
        rows: `row` of each call.
    """
    found: dict[str, pa.Array | pa.ChunkedArray] = {}
    for field in _ORDER:
        value = None if field.name == _ROW else pa.scalar(getattr(order, field.name[1:]), field.type)
        found[field.name] = rows.cast(pa.string()) if value is None else pa.repeat(value, len(rows))
    return found


def in_order(calls: Sequence[pa.Table]) -> pa.Table:
    """Calls with their `order_columns` as one table of `CALLS`, in the order in which they were made."""
    every = pa.concat_tables([_WITH_ORDER.empty_table(), *calls])
    keys = [(name, "ascending") for name in ("_time", *_ORDER.names)]
    return every.sort_by(keys).select(CALLS.names).cast(CALLS)


def by_time(calls: Sequence[pa.Table]) -> pa.Table:
    """Calls of several batches, each in order, as one table; those of one time stay as they are."""
    return pa.concat_tables(calls).sort_by("_time")


_WITH_ORDER = pa.schema([*CALLS, *_ORDER])


def shown_calls(calls: pa.Table) -> list[dict[str, Any]]:
    """Calls as dictionaries, with their arguments as one each."""
    return [{**call, "arguments": json.loads(call["arguments"])} for call in calls.to_pylist()]
