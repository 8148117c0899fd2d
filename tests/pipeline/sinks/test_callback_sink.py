"""A function of the program gets the rows."""

from __future__ import annotations

from typing import Any

from kaicep.pipeline.sinks.callback_sink import CallbackSink
from support.match_rows import matches


def test_a_callback_gets_each_row() -> None:
    seen: list[tuple[str, dict[str, Any]]] = []
    CallbackSink(lambda query, row: seen.append((query, row))).write(0, "Q", matches(1, 2))
    assert [(query, row["rate"]) for query, row in seen] == [("Q", 1), ("Q", 2)]
