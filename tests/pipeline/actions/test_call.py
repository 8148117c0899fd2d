"""Calls as receivers are given them."""

from __future__ import annotations

import json

from kaicep.pipeline.actions.call import calls_of
from support.receivers import call, calls_table


def test_calls_of_a_table() -> None:
    first, second = calls_of(calls_table([1, 2], rule="high"))
    assert (first.rule, first.id, first.action, first.arguments) == ("high", "high-1", "ops", '{"n": 1}')
    assert second.time == "1970-01-01T00:00:02Z"


def test_json_holds_whatever_names_hold() -> None:
    found = json.loads(call(1, 'a"b\\', room='"').to_json())
    assert found["rule"] == 'a"b\\'
    assert found["arguments"] == {"room": '"'}


def test_values_of_templates() -> None:
    assert call(3, "r", rule="mine", n=1).values() == {
        "rule": "mine",
        "action": "ops",
        "_id": "r-3",
        "_time": "2026-01-01T00:00:00Z",
        "n": 1,
    }


def test_keys_differ_where_rules_or_ids_do() -> None:
    keys = {call(1, "a").key, call(2, "a").key, call(1, "b").key, call(1, "a/b").key}
    assert len(keys) == 4
