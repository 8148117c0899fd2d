"""Batches become readings as the settings of their source say."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from kaicep.config import AttributeSettings, SourceSettings, StreamSettings, TimeSettings
from kaicep.pipeline.sources import RawBatch
from kaicep.pipeline.sources.layouts import reshape, reshape_table
from kaicep.pipeline.sources.records import RecordOrigin

WIDE = {"unpivot": {"name": "point", "value": "value"}}


def stream(**options: Any) -> StreamSettings:
    return StreamSettings(
        event_type="e",
        time=TimeSettings(attribute="t"),
        attributes={"point": AttributeSettings(), "value": AttributeSettings(), "site": AttributeSettings()},
        source=SourceSettings.model_validate({"format": "csv", **options}),
    )


def batch(table: pa.Table) -> RawBatch:
    return RawBatch(table, origin=RecordOrigin.of("north.csv", "{name}:{number}"))


def test_a_batch_of_records_is_left_alone() -> None:
    raw = batch(pa.table({"t": [1]}))
    assert reshape(raw, stream()) is raw
    assert reshape(raw, StreamSettings(event_type="e", time=TimeSettings(attribute="t"))) is raw


def test_columns_that_are_no_attributes_are_points() -> None:
    """And each reading still knows its place."""
    found = reshape(
        batch(pa.table({"t": [1, 2], "site": ["x", "x"], "co2": [400, None], "temp": [20, 21]})), stream(**WIDE)
    )
    assert found.table.to_pylist() == [
        {"t": 1, "site": "x", "point": "co2", "value": 400},
        {"t": 1, "site": "x", "point": "temp", "value": 20},
        {"t": 2, "site": "x", "point": "temp", "value": 21},
    ]
    assert [found.place(row) for row in range(3)] == [
        "north.csv:1, column 'co2'", "north.csv:1, column 'temp'", "north.csv:2, column 'temp'"
    ]  # fmt: skip


def test_stated_columns_alone_are_points() -> None:
    table = pa.table({"t": [1], "co2": [400], "remark": ["x"], "door": [1]})
    on = {"unpivot": {**WIDE["unpivot"], "on": ["co2"]}}
    assert reshape(batch(table), stream(**on)).table.to_pylist() == [
        {"t": 1, "remark": "x", "door": 1, "point": "co2", "value": 400}
    ]
    index = {"unpivot": {**WIDE["unpivot"], "index": ["remark"]}}
    assert [row["point"] for row in reshape(batch(table), stream(**index)).table.to_pylist()] == ["co2", "door"]


def test_a_file_names_its_sensor() -> None:
    found = reshape(batch(pa.table({"t": [1], "value": [2]})), stream(file_name="point"))
    assert found.table.to_pylist() == [{"t": 1, "value": 2, "point": "north"}]


def test_a_file_may_name_the_site_of_a_wide_table() -> None:
    found = reshape(batch(pa.table({"t": [1], "co2": [400]})), stream(file_name="site", **WIDE))
    assert found.table.to_pylist() == [{"t": 1, "site": "north", "point": "co2", "value": 400}]


def test_tables_from_python_are_unpivoted_once() -> None:
    wide = pa.table({"t": [1], "co2": [400]})
    long = reshape_table(wide, stream(**WIDE))
    assert long.to_pylist() == [{"t": 1, "point": "co2", "value": 400}]
    assert reshape_table(long, stream(**WIDE)) is long
    assert reshape_table(wide, stream()) is wide
