"""Rows of the log look as those that sinks write."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
from kaicep.archive.matches import MatchLog, Provenance
from kaicep.language.nodes import ValueType
from kaicep.pipeline.sinks.row_values import json_lines
from kaicep.server.rows.row_json import row_json

MOMENT = pa.timestamp("us", "UTC")
NINE = datetime(2026, 1, 1, 9, tzinfo=UTC)
HALF = datetime(2026, 1, 1, 9, 0, 0, 500_000, tzinfo=UTC)


def test_a_row_is_what_a_sink_writes_of_it(tmp_path: Path) -> None:
    window = pa.array([{"start": NINE, "end": HALF}], pa.struct([("start", MOMENT), ("end", MOMENT)]))
    rows = pa.table(
        {
            "rate": pa.array([float("nan")]),
            "seen": pa.array([[NINE, HALF]], pa.list_(MOMENT)),
            "took": pa.array([90_500_000], pa.duration("us")),
            "room": pa.array(["urn:r1"]),
            "_time": pa.array([NINE], MOMENT),
            "_events": pa.array([{"e": ["urn:a", "urn:b"]}], pa.struct([("e", pa.list_(pa.string()))])),
            "_window": window,
            "_id": pa.array([32 * "0"]),
        }
    )
    kinds = (ValueType.DOUBLE, ValueType.DATETIME, ValueType.DURATION, ValueType.IRI)
    items = dict(zip(("rate", "seen", "took", "room"), kinds, strict=True))
    log = MatchLog(tmp_path)
    log.append(0, [(Provenance("q", "SELECT …", "k", items), rows)])
    (kept,) = log.log.read("q").to_pylist()
    written = json.loads(json_lines(rows, "q"))
    del written["_query"]
    found = row_json(kept, items)
    assert found == written
    assert list(found) == list(written)


def test_durations_may_be_negative_and_short() -> None:
    row = {"_time": NINE, "_id": "x", "a": -1_500_000, "b": 0, "c": None}
    found = row_json(row, dict.fromkeys("abc", ValueType.DURATION))
    assert (found["a"], found["b"], found["c"]) == ("-PT1.5S", "PT0S", None)
