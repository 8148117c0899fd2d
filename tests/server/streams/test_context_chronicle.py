"""The windows of a set from the rows that tell its changes, and what is cut of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
from kaicep.language.nodes import DEFAULT_BOUNDS, Context, ContextKey, ContextSet, ValueType
from kaicep.language.source_text import Span
from kaicep.server.streams.context_chronicle import ContextChronicle

NINE = datetime(2026, 6, 1, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SCHEMA = pa.schema(
    [
        ("context", pa.string()),
        ("change", pa.string()),
        ("room", pa.string()),
        ("_time", pa.timestamp("us", "UTC")),
    ]
)
DOOR = ContextSet(
    "door",
    (Context("shut"), Context("open"), Context("held")),
    (ContextKey("room", ValueType.STRING),),
    DEFAULT_BOUNDS,
    "",
    Span(0, 0),
)


def turns(*told: tuple[int, str, str, str]) -> pa.Table:
    """Rows of CONTEXTS: minutes after nine, room, context, and what became of it."""
    rows = [
        {"context": context, "change": change, "room": room, "_time": NINE + minute * MINUTE}
        for minute, room, context, change in told
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def opened(minute: int, room: str = "a") -> pa.Table:
    return turns((minute, room, "shut", "ended"), (minute, room, "open", "started"))


def shut(minute: int, room: str = "a") -> pa.Table:
    return turns((minute, room, "open", "ended"), (minute, room, "shut", "started"))


def told(chronicle: ContextChronicle, first: int, last: int, **named: Any) -> list[tuple[str, str, Any, Any]]:
    found = chronicle.windows(NINE + first * MINUTE, NINE + last * MINUTE, **named)
    return [(one["key"]["room"], one["context"], minutes(one["from"]), minutes(one["to"])) for one in found]


def minutes(moment: str | None) -> float | None:
    return None if moment is None else (datetime.fromisoformat(moment) - NINE) / MINUTE


def test_what_began_before_has_its_true_begin() -> None:
    chronicle = ContextChronicle(DOOR)
    for changes in (opened(1), shut(5), opened(10), opened(12, "b")):
        chronicle.take(changes)
    assert told(chronicle, 20, 30) == [("a", "open", 10, None), ("b", "open", 12, None)]
    assert told(chronicle, 4, 11) == [
        ("b", "shut", None, None),
        ("a", "open", 1, 5),
        ("a", "shut", 5, 10),
        ("a", "open", 10, None),
    ]


def test_what_begins_and_ends_at_once_is_no_window() -> None:
    chronicle = ContextChronicle(DOOR)
    chronicle.take(opened(1))
    chronicle.take(turns((2, "a", "open", "ended"), (2, "a", "shut", "started"), (2, "a", "shut", "ended")))
    chronicle.take(turns((2, "a", "held", "started")))
    assert told(chronicle, 0, 3) == [("a", "shut", None, 1), ("a", "open", 1, 2), ("a", "held", 2, None)]


def test_what_has_not_settled_is_taken_back() -> None:
    chronicle = ContextChronicle(DOOR)
    chronicle.take(opened(1))
    chronicle.settle()
    chronicle.take(shut(2))
    chronicle.take(opened(3, "b"))
    assert len(told(chronicle, 0, 4)) == 5
    chronicle.rewind()
    assert told(chronicle, 0, 4) == [("a", "shut", None, 1), ("a", "open", 1, None)]


def test_the_oldest_is_forgotten_and_nothing_else_is_said_of_its_time() -> None:
    chronicle = ContextChronicle(DOOR, kept=2)
    for minute in range(0, 20, 2):
        chronicle.take(opened(minute))
        chronicle.take(shut(minute + 1))
        chronicle.settle()
    every = told(chronicle, 0, 30)
    assert every == [one for one in every if one[2] >= 16]
    assert every[-2:] == [("a", "open", 18, 19), ("a", "shut", 19, None)]


def test_where_the_log_has_forgotten_nobody_knows_what_held_first() -> None:
    chronicle = ContextChronicle(DOOR)
    chronicle.take(opened(1))
    assert told(chronicle, 0, 2, begun=False) == [("a", "open", 1, None)]
