"""Matches as Python values and as JSON lines."""

from __future__ import annotations

import json
from datetime import timedelta

from kaicep.pipeline.sinks.row_values import json_lines, rows
from support.match_rows import START, matches


def test_rows_have_python_s_values() -> None:
    (row,) = rows(matches(1.5))
    assert row == {
        "rate": 1.5,
        "seen": [START],
        "_time": START,
        "_events": {"e": ["urn:a"]},
        "_window": {"start": START, "end": START},
        "_id": "0" * 32,
    }
    assert row["_time"].utcoffset() == timedelta(0)


def test_json_rows_have_iso_times_at_every_depth() -> None:
    first, second = json_lines(matches(float("nan"), None), "Q").splitlines()
    assert json.loads(first) == {
        "rate": None,
        "seen": ["2026-01-01T00:00:00Z"],
        "_query": "Q",
        "_time": "2026-01-01T00:00:00Z",
        "_events": {"e": ["urn:a"]},
        "_window": {"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T00:00:00Z"},
        "_id": "0" * 32,
    }
    assert list(json.loads(first)) == ["rate", "seen", "_query", "_time", "_events", "_window", "_id"]
    assert json.loads(second)["_window"]["end"] == "2026-01-01T00:00:00.500Z"
