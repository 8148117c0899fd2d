"""Rows of a query as columns of plain types, which Parquet has."""

from __future__ import annotations

from datetime import timedelta

import pyarrow as pa
from kaicep.archive.matches.match_columns import flat
from support.archives import NINE, TIME
from support.found import ORIGIN, event, matches


def test_each_variable_is_a_column_of_event_ids() -> None:
    rows = flat(matches([0, 3]), ORIGIN)
    assert rows.column_names[:5] == ["_time", "_id", "_origin", "?a", "?b"]
    assert rows["?a"].to_pylist() == [[], [event(2)]]
    assert rows["?b"].to_pylist() == [[event(0)], [event(3)]]
    assert rows["_origin"].to_pylist() == [ORIGIN.digest] * 2


def test_durations_are_counted_in_microseconds() -> None:
    assert flat(matches([2]), ORIGIN)["lasts"].to_pylist() == [-3_000_000]
    listed = pa.array([[timedelta(seconds=1)], None], pa.list_(pa.duration("us")))
    rows = matches([0, 1]).append_column("waits", listed)
    assert flat(rows, ORIGIN)["waits"].to_pylist() == [[1_000_000], None]


def test_a_window_is_its_start_and_its_end() -> None:
    kind = pa.struct([("start", TIME), ("end", TIME)])
    window = pa.array([{"start": NINE, "end": NINE + timedelta(minutes=1)}], kind)
    rows = flat(matches([0]).append_column("_window", window), ORIGIN)
    assert rows["_window_start"].to_pylist() == [NINE]
    assert rows["_window_end"].to_pylist() == [NINE + timedelta(minutes=1)]
    assert "_window" not in rows.column_names
