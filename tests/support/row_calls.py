"""Rows on their way to the sinks of a project file."""

from __future__ import annotations

import json
from pathlib import Path

from kaicep.pipeline.actions import ActionCall, ActionSpec
from kaicep.settings import ActionSettings

__all__ = ["row_call", "spec_of"]

_TIME = "2026-01-01T00:00:00Z"


def row_call(number: int, *, query: str = "warm", **items: object) -> ActionCall:
    """A row of a query, whose `_id` has this number."""
    row = {**items, "_query": query, "_time": _TIME, "_id": f"a{number}"}
    return ActionCall(query, f"a{number}", "sinks.rows", _TIME, json.dumps(row))


def spec_of(folder: Path) -> ActionSpec:
    """Of a sink of a project in a folder."""
    return ActionSpec("sinks.rows", ActionSettings.model_construct(), folder, "kaicep.toml")
