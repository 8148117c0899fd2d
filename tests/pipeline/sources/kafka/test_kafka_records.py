"""Rows of topics as raw records."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from kaicep.config import Settings
from kaicep.pipeline.kafka.range_reader import KAFKA_SCHEMA
from kaicep.pipeline.sources.kafka.kafka_records import kafka_records, wanted_columns
from kaicep.pipeline.sources.records import RawBatch

NO_UTF8 = """no UTF-8: if it is windows-1252 or ISO-8859-1, add encoding = "windows-1252" to the stream's source"""
FILLED: dict[str, Any] = {
    "key": "k",
    "topic_name": "t",
    "partition": "p",
    "offset": "o",
    "timestamp": "ts",
    "headers": {"h": "trace"},
}


def parsed(rows: list[dict[str, Any]], source: dict[str, Any] | None = None, **kafka: Any) -> RawBatch:
    names = ("at", "n", "value", "k", "t", "p", "o", "ts", "h")
    stream = {
        "event_type": "<urn:R>",
        "time": {"attribute": "at"},
        "attributes": {name: {} for name in names},
        "source": {"kafka": {"servers": "b:1", "topics": ["air"], **kafka}, **(source or {})},
    }
    settings = Settings.parse({"streams": {"air": stream}}).streams["air"]
    assert settings.source is not None
    assert settings.source.kafka is not None
    whole = [{"topic": "air", "partition": 0, "offset": n, **row} for n, row in enumerate(rows)]
    return kafka_records(pa.Table.from_pylist(whole, schema=KAFKA_SCHEMA), settings, settings.source.kafka)


def wrong(batch: RawBatch) -> list[tuple[str, str, str]]:
    return sorted((each.place, each.text, each.reason) for each in batch.malformed)


def test_records_come_by_topic_partition_and_offset() -> None:
    places = [("b", 0, 1), ("a", 10, 4), ("a", 2, 7), ("a", 10, 5), ("a", 2, 9)]
    rows = [
        {"topic": topic, "partition": partition, "offset": offset, "value": b'{"n":%d}' % number}
        for number, (topic, partition, offset) in enumerate(places)
    ]
    batch = parsed(rows)
    assert batch.table["n"].to_pylist() == [2, 4, 1, 3, 0]
    found = [batch.place(row) for row in range(5)]
    assert found == ["a/2, offset 7", "a/2, offset 9", "a/10, offset 4", "a/10, offset 5", "b/0, offset 1"]


def test_what_is_no_record_is_a_dead_letter_with_its_place() -> None:
    values = [b'{"n":1}', b"nonsense", None, b"\xff", b'{\n"n": 2\n}', b"[1]", b""]
    batch = parsed([{"value": value} for value in values])
    assert batch.table["n"].to_pylist() == [1, 2]
    assert [batch.place(0), batch.place(1)] == ["air/0, offset 0", "air/0, offset 4"]
    assert [place for place, _, _ in wrong(batch)] == [f"air/0, offset {n}" for n in (1, 2, 3, 5)]
    reasons = [reason for _, _, reason in wrong(batch)]
    assert reasons[0].startswith("no JSON")
    assert reasons[1].startswith("no value: in topics that are compacted")
    assert reasons[2].startswith("no UTF-8")
    assert reasons[3] == "an array instead of an object"


def test_what_is_lost_is_told_among_them() -> None:
    batch = parsed([{"lost": "offsets 0 to 4 of air/0 were deleted before they were read", "offset": 4}])
    assert wrong(batch) == [("air/0, offset 4", "", "offsets 0 to 4 of air/0 were deleted before they were read")]
    assert batch.table.num_rows == 0


def test_attributes_are_filled_from_beside_the_value() -> None:
    time = datetime(2026, 1, 1, tzinfo=UTC)
    headers = [{"key": "trace", "value": b"old"}, {"key": "trace", "value": b"new"}, {"key": "x", "value": None}]
    beside = {"key": b"r\xff", "timestamp": time, "headers": headers, "offset": 7}
    batch = parsed([{"value": b'{"n":1,"k":"of the value"}', **beside}, {"value": b"bad"}, {"value": b"{}"}], **FILLED)
    assert batch.table.num_rows == 2
    assert batch.table.slice(1, 1).to_pylist() == [
        {"n": 1, "k": "r\\xff", "t": "air", "p": 0, "o": 7, "ts": time, "h": "new"}
    ]
    assert batch.table["k"].to_pylist()[0] is None


def test_csv_has_the_attributes_that_nothing_else_fills() -> None:
    rows = [
        {"value": b"2026-01-01T00:00:00Z,5,x\n", "key": b"room"},
        {"value": b"1,2"},
        {"value": b'"a\nb",1,2'},
        {"value": b"\xff\n"},
    ]
    batch = parsed(rows, {"format": "csv", "sep": ","}, **FILLED)
    assert batch.table.select(["at", "n", "value", "k"]).to_pylist() == [
        {"at": "2026-01-01T00:00:00Z", "n": "5", "value": "x", "k": "room"}
    ]
    assert [(place, reason) for place, _, reason in wrong(batch)] == [
        ("air/0, offset 1", "2 values for 3 columns"),
        ("air/0, offset 2", "a line break stands within the record"),
        ("air/0, offset 3", NO_UTF8),
    ]


def test_text_is_one_attribute() -> None:
    batch = parsed([{"value": "grün".encode()}, {"value": b"\xff"}], {"format": "text"})
    assert batch.table.to_pylist() == [{"value": "grün"}]
    assert [place for place, _, _ in wrong(batch)] == ["air/0, offset 1"]


@pytest.mark.parametrize(("kafka", "columns"), [({}, ()), (FILLED, ("key", "timestamp", "headers"))])
def test_only_what_is_wanted_is_asked_for(kafka: dict[str, Any], columns: tuple[str, ...]) -> None:
    stream = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {n: {} for n in "ktpoh"} | {"ts": {}}}
    source = {"kafka": {"servers": "b:1", "topics": "air", **kafka}}
    settings = Settings.parse({"streams": {"air": stream | {"source": source}}}).streams["air"].source
    assert settings is not None
    assert settings.kafka is not None
    assert wanted_columns(settings.kafka) == columns
