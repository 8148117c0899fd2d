"""What is not declared is kept as one JSON object per event."""

from __future__ import annotations

import json

import pyarrow as pa
from support.annotators import NOON, annotator_of


def test_undeclared_attributes_are_kept_as_json() -> None:
    """One object with sorted keys; nulls are absent, at every depth, so that JSON does not depend on the batch."""
    raw = pa.table(
        {
            "at": [NOON] * 3,
            "z": ['q"\\\n\u2028ü', None, None],
            "n": pa.array([{"b": [1, None], "a": None}, {"b": None, "a": "x"}, None]),
            "f": [1.0, float("nan"), None],
            "b": [True, None, None],
            "t": pa.array([NOON, None, None], pa.timestamp("ms")),
            "_id": [5, None, None],
            "none": pa.nulls(3),
            "bytes": pa.array([b"\xff", None, None]),
        }
    )
    texts = annotator_of({}).annotate(raw).events.column("_extra").to_pylist()
    assert texts[1:] == ['{"f":NaN,"n":{"a":"x"}}', None]
    expected = {
        "z": 'q"\\\n\u2028ü',
        "n": {"b": [1, None]},
        "f": 1,
        "b": True,
        "t": "2012-05-07T12:00:00Z",
        "_id": 5,
        "bytes": "/w==",
    }
    assert texts[0] == json.dumps(expected, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
