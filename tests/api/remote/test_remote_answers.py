"""Answers become values, and what a newer server says beyond them is passed over."""

from __future__ import annotations

from kaicep.api.remote import RemoteCheck, RemoteQuery
from kaicep.api.remote.remote_answers import answer_of


def test_answers_become_values() -> None:
    told = {"label": "high", "kind": "query", "state": "running", "matches": 3, "submitted": True, "columns": ["a"]}
    found = answer_of(RemoteQuery, told | {"new": "thing"})
    assert found == RemoteQuery("high", "query", "running", 3, submitted=True, columns=("a",))


def test_a_check_has_faults() -> None:
    fault = {
        "message": "m",
        "hint": None,
        "line": 1,
        "column": 2,
        "end_line": 1,
        "end_column": 3,
        "text": "query:1:2: m",
    }
    found = RemoteCheck.of({"valid": False, "problems": [fault], "warnings": ["w"]})
    assert not found.valid
    assert (str(found.problems[0]), found.problems[0].end_column, found.warnings) == ("query:1:2: m", 3, ("w",))
