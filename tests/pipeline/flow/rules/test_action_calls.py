"""Calls: their columns, and the order in which rules have made them."""

from __future__ import annotations

from kaicep.pipeline.flow.rules.action_calls import CALLS, FiringOrder, in_order, shown_calls
from support.action_calls import calls


def test_calls_stand_by_time_then_coupling_then_rows_then_priority_then_text() -> None:
    last = 2**31
    made = [
        calls(FiringOrder(False, 3, "", last, 4, 0), (1, "0"), (1, "1"), (2, "0")),
        calls(FiringOrder(True, 3, "", 1, 5, 0), (1, "0"), (1, "1")),
        calls(FiringOrder(False, 3, "", 1, 6, 0), (1, "0"), (1, "1")),
        calls(FiringOrder(False, -1, "", last, 7, 0), (1, "9")),
    ]
    found = in_order(made)
    assert found.schema == CALLS
    assert found["_id"].to_pylist() == ["79", "60", "40", "61", "41", "50", "51", "40"]
    assert in_order([]).num_rows == 0


def test_shown_calls_have_their_arguments_in_order() -> None:
    (shown,) = shown_calls(in_order([calls(FiringOrder(False, 0, "", 1, 0, 0), (1, "0"))]))
    assert list(shown) == ["rule", "_id", "action", "_time", "arguments"]
    assert shown["arguments"] == {"b": 1, "a": None}
    assert list(shown["arguments"]) == ["b", "a"]
