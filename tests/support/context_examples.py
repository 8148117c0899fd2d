"""Examples with their rows: of contexts, most of them CAESAR's, and of windows by condition and change, EStreams'."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Example", "examples"]


@dataclass(frozen=True)
class Example:
    """A document over events, and what its last query gives.

    Attributes:
        name: what it shows.
        text: the document.
        content: of the project file.
        streams: raw tuples.
        base: what times count from.
        rows: time in seconds and items of each row.
        contexts: `_context` of each row, joined by `+`; `None`: the last query is in none.
        asks: queries that are asked of states: the moment in seconds, the text, and the rows.
        calls: of rules: the time in seconds, the rule, the action and its arguments.
        refused: the document is refused.
        knowledge: Turtle.
    """

    name: str
    text: str
    content: Mapping[str, Any]
    streams: Mapping[str, Sequence[Mapping[str, object]]]
    base: datetime
    rows: Sequence[Sequence[object]]
    contexts: Sequence[str] | None
    asks: Sequence[tuple[float, str, Sequence[Sequence[object]]]] = ()
    calls: Sequence[Mapping[str, Any]] = ()
    refused: bool = False
    knowledge: str = ""

    def shown(self, rows: Sequence[Mapping[str, Any]]) -> tuple[list[list[object]], list[str] | None]:
        """An answer as `rows` and `contexts` are written."""
        items = [[(row["_time"] - self.base).total_seconds(), *_items(row)] for row in rows]
        return items, None if self.contexts is None else ["+".join(row["_context"]) for row in rows]

    def shown_calls(self, calls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Calls as `calls` are written."""
        return [
            {
                "t": (call["_time"] - self.base).total_seconds(),
                "rule": call["rule"],
                "call": call["action"],
                "args": call["arguments"],
            }
            for call in calls
        ]


def _items(row: Mapping[str, Any]) -> list[object]:
    return [value for name, value in row.items() if not name.startswith("_")]


@cache
def examples(of: str = "context_examples") -> tuple[Example, ...]:
    """All of those that a file has."""
    content = json.loads((Path(__file__).parent / f"{of}.json").read_text(encoding="utf-8"))
    base = datetime.fromisoformat(content["base"])
    return tuple(_example(case, base) for case in content["cases"])


def _example(case: Mapping[str, Any], base: datetime) -> Example:
    events = {
        name: [{**row, "t": (base + timedelta(seconds=row["t"])).isoformat()} for row in rows]
        for name, rows in case.get("events", {}).items()
    }
    streams = {name: _stream(name, attributes, events.get(name, [])) for name, attributes in case["streams"].items()}
    content = {"prefixes": {"x": "http://x/", **case.get("prefixes", {})}, "streams": streams}
    asks = [(one["at"], one["text"], one["rows"]) for one in case.get("asks", ())]
    contexts, calls = case.get("context"), case.get("calls", ())
    rows, refused = case.get("rows", ()), case.get("refused", False)
    return Example(
        case["name"], case["text"], content, events, base, rows, contexts, asks, calls, refused, case.get("kb", "")
    )


def _stream(name: str, attributes: Mapping[str, Any], events: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    """A stream whose attributes are numbers or texts, as in its events."""
    numeric = {a for a in attributes if events and all(isinstance(e.get(a, 0), int) for e in events)}
    return {
        "event_type": f"x:{name}",
        "time": {"attribute": "t"},
        "identity": ["id"],
        "attributes": {
            a: known or {"datatype": "xsd:integer" if a in numeric else "xsd:string"} for a, known in attributes.items()
        },
    }
