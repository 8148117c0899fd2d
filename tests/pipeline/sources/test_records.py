"""Raw records keep their place and their text, whatever table they stand in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from kaicep.pipeline.sources.records import RawBatch, RecordOrigin, concatenate, table_of_dicts, text_of


def test_a_record_s_place_is_its_number_in_its_file() -> None:
    origin = RecordOrigin(lambda: ("a.json", "b.json"), (0, 3), "{name}:{number}")
    assert [origin.place(record) for record in (0, 2, 3)] == ["a.json:1", "a.json:3", "b.json:1"]
    assert RecordOrigin.of("in.parquet").place(4) == "in.parquet, row 5"


def test_a_row_has_the_text_of_its_record() -> None:
    table = pa.table({"x": [1, None], "y": ["a", "b"]})
    assert RawBatch(table).text(1) == '{"y": "b"}'
    numbered = RawBatch(table, numbers=np.array([0, 2]), texts=pa.array(["{…}", "bad", "{…b}"]))
    assert (numbered.text(1), numbered.place(1)) == ("{…b}", "batch, row 3")


def test_one_text_among_numbers_makes_its_column_text() -> None:
    table = table_of_dicts([{"x": 5.0, "n": None}, {"x": "abc"}, {"x": True}])
    assert table.column_names == ["x"]
    assert table["x"].to_pylist() == ["5", "abc", "true"]
    assert table_of_dicts([{}, {}]).num_rows == 2


def test_tables_without_a_common_type_are_joined_as_text() -> None:
    joined = concatenate([pa.table({"x": [1]}), pa.table({"x": ["one"]})])
    assert joined["x"].to_pylist() == ["1", "one"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        ("a", "a"),
        (True, "true"),
        (5.0, "5"),
        (0.5, "0.5"),
        (datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00+00:00"),
        ({"b": 1, "a": [2]}, '{"a":[2],"b":1}'),
    ],
)
def test_a_value_has_one_text(value: Any, text: str | None) -> None:
    assert text_of(value) == text


def test_the_text_of_a_row_leaves_out_what_lies_too_deep() -> None:
    kind = pa.int64()
    for _ in range(2_000):
        kind = pa.list_(kind)
    batch = RawBatch(pa.table({"a": [1], "deep": pa.nulls(1, kind)}))
    assert batch.text(0) == '{"a": 1}'
