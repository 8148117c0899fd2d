"""Sinks that are tables, and rows for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kaicep.config import Settings
from kaicep.pipeline.actions import ActionCall, ActionSpec
from kaicep.pipeline.sinks.outgoing.sql_action import SqlAction
from kaicep.settings.sinks import SqlSettings

__all__ = ["sql_rows", "sql_sink"]


def sql_sink(folder: Path, url: str = "sqlite:///rows.db", table: str = "{query}") -> SqlAction:
    """The sink of a project in a folder."""
    own = {"url": url, "table": table}
    sink = Settings.parse({"sinks": {"db": {"sql": own}}}, root=folder).sinks["db"]
    return SqlAction(ActionSpec("sinks.db", sink.delivery, folder, "kaicep.toml"), SqlSettings.model_validate(own))


def sql_rows(*numbers: int, query: str = "warm", **more: Any) -> list[ActionCall]:
    """A row for each number, with further items."""
    return [
        ActionCall(
            query,
            f"a{number}",
            "sinks.db",
            "2026-01-01T00:00:00Z",
            json.dumps(
                {"room": f"B{number}", "n": number, "_time": "2026-01-01T00:00:00.500Z", "_id": f"a{number}", **more}
            ),
        )
        for number in numbers
    ]
