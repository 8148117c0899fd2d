"""A row of the log of matches as JSON has it, in the form of the sinks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from ...language.nodes import ValueType
from ..plain_json import plain_value

__all__ = ["row_json"]

_SAME = ("_context", "_sampled")


def row_json(row: Mapping[str, Any], items: Mapping[str, ValueType]) -> dict[str, Any]:
    """A row: items, `_time`, `_events`, `_window`, `_context` and `_sampled` where there are some, `_id`.

    Args:
        row: as `MatchLog` keeps it.
        items: by name, what its items are.

    Returns:
        Times in ISO 8601 with `Z`, durations as `PT90S`; what is unbound, NaN and INF are null.
    """
    found = {name: _value(row.get(name), kind) for name, kind in items.items()}
    found["_time"] = plain_value(row["_time"])
    found["_events"] = {name[1:]: ids for name, ids in row.items() if name.startswith("?") and ids is not None}
    if row.get("_window_start") is not None:
        found["_window"] = {"start": plain_value(row["_window_start"]), "end": plain_value(row["_window_end"])}
    found |= {name: row[name] for name in _SAME if row.get(name) is not None}
    return {**found, "_id": row["_id"]}


def _value(value: object, kind: ValueType) -> object:
    """The log counts durations in microseconds."""
    match value:
        case list():
            return [_value(each, kind) for each in value]
        case int() if kind is ValueType.DURATION:
            return plain_value(timedelta(microseconds=value))
        case _:
            return plain_value(value)
