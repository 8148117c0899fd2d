"""States as tables: what is bound stands once, partial matches have what their events have."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256

import numpy as np
import polars as pl
from kaicep.cep.query_state import BoundEvents, HeldState, partial_table, state_table
from kaicep.language.nodes import AttributeType, StreamType, ValueType

AT = [datetime(2024, 1, 1, 0, 0, second, tzinfo=UTC) for second in range(3)]
EVENTS = pl.DataFrame({"_time": AT, "_id": ["a", "b", "c"], "k": [1, 2, None]}).with_columns(
    pl.col("_time").dt.cast_time_unit("us")
)
TIME = AttributeType("_time", ValueType.DATETIME)
STREAM = StreamType("STATE(q)", (AttributeType("k", ValueType.INTEGER), AttributeType("other", ValueType.STRING), TIME))
BOUND = {
    "x": BoundEvents(np.array([0, 1, 2]), np.array([0, 0, 0])),
    "y": BoundEvents(np.array([1, 1]), np.array([1, 2])),
}
STATE = HeldState({"x": EVENTS, "y": EVENTS}, BOUND, np.array([5, 2**62, 7]))


def test_an_event_stands_once_and_has_what_its_stream_has() -> None:
    rows = state_table(STATE, None, STREAM).to_pylist()
    assert [(row["_id"], row["k"], row["other"]) for row in rows] == [("a", 1, None), ("b", 2, None), ("c", None, None)]
    assert state_table(STATE, {"x"}, STREAM)["_id"].to_pylist() == ["a"]
    assert state_table(HeldState(), None, STREAM).num_rows == 0


def test_a_partial_match_stands_once_until_the_latest_end() -> None:
    own = (AttributeType("_bound", ValueType.STRING), AttributeType("_since", ValueType.DATETIME))
    ends = (AttributeType("_until", ValueType.DATETIME), AttributeType("x_k", ValueType.INTEGER))
    stream = StreamType("PARTIAL(q)", (*own, *ends, AttributeType("y_k", ValueType.STRING), TIME))
    rows = partial_table(STATE, "urn:p/", stream, frozenset({"y"})).to_pylist()
    assert [(row["_bound"], row["x_k"], row["y_k"]) for row in rows] == [("x", 1, None), ("x y", 1, "[2, null]")]
    assert [row["_until"] and row["_until"].microsecond for row in rows] == [7, None]
    assert [(row["_since"], row["_time"]) for row in rows] == [(AT[0], AT[0]), (AT[0], AT[2])]
    assert partial_table(HeldState(), "urn:p/", stream, frozenset()).num_rows == 0


def test_a_partial_match_is_told_from_others_by_the_ids_of_its_events() -> None:
    own = (AttributeType("_bound", ValueType.STRING), AttributeType("_until", ValueType.DATETIME), TIME)
    rows = partial_table(STATE, "urn:p/", StreamType("PARTIAL(q)", own), frozenset({"y"})).to_pylist()
    written = ("x a", "x a\x1fy b c")
    assert [row["_id"] for row in rows] == ["urn:p/" + sha256(of.encode()).hexdigest()[:32] for of in written]
