"""Ranges of offsets as columns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from confluent_kafka import Producer
from kaicep.pipeline.kafka import client_options
from kaicep.pipeline.kafka.offset_ranges import OffsetRange
from kaicep.pipeline.kafka.range_reader import KAFKA_SCHEMA, read_range
from support.kafka import MockKafka, mock_kafka

ALL = frozenset({"key", "timestamp", "headers"})


@pytest.fixture
def kafka() -> Iterator[MockKafka]:
    with mock_kafka(air=1) as cluster:
        yield cluster


def read(
    kafka: MockKafka,
    start: int,
    end: int,
    columns: frozenset[str] = ALL,
    *,
    lost: str = "",
    patience_s: float = 5.0,
    strict: bool = False,
) -> pa.Table:
    wanted = OffsetRange("air", 0, start, end, lost)
    batches = read_range(client_options(kafka.servers, {}), wanted, columns, patience_s, strict=strict)
    return pa.Table.from_batches(batches, KAFKA_SCHEMA)


def test_a_range_is_read_as_it_is(kafka: MockKafka) -> None:
    kafka.produce("air", [f"v{n}" for n in range(9)], key="k", headers={"h": "x"}, time_ms=1500)
    (first, *others) = read(kafka, 3, 6).to_pylist()
    assert first == {
        "topic": "air",
        "partition": 0,
        "offset": 3,
        "timestamp": datetime(1970, 1, 1, 0, 0, 1, 500000, UTC),
        "key": b"k",
        "value": b"v3",
        "headers": [{"key": "h", "value": b"x"}],
        "lost": None,
    }
    assert [row["offset"] for row in others] == [4, 5]


def test_what_nobody_wants_is_not_made(kafka: MockKafka) -> None:
    kafka.produce("air", ["v"], key="k", headers={"h": "x"})
    (row,) = read(kafka, 0, 1, frozenset()).to_pylist()
    assert (row["key"], row["timestamp"], row["headers"]) == (None, None, None)


def test_a_range_of_nothing(kafka: MockKafka) -> None:
    assert read(kafka, 4, 4).num_rows == 0


def test_a_record_without_value(kafka: MockKafka) -> None:
    kafka.produce("air", [None])
    assert read(kafka, 0, 1)["value"].to_pylist() == [None]


def test_what_is_lost_is_a_row_of_its_own(kafka: MockKafka) -> None:
    kafka.produce("air", ["a", "b"])
    rows = read(kafka, 1, 2, lost="gone").to_pylist()
    assert [(row["offset"], row["value"], row["lost"]) for row in rows] == [(0, None, "gone"), (1, b"b", None)]


def test_offsets_of_no_record_end_a_range(kafka: MockKafka) -> None:
    """Such as the mark of a transaction that is done."""
    producer = Producer({"bootstrap.servers": kafka.servers, "transactional.id": "t"})
    producer.init_transactions(10)
    producer.begin_transaction()
    producer.produce("air", "a", partition=0)
    producer.commit_transaction(10)
    kafka.produce("air", ["b"])
    end = 1 + max(record.offset() or 0 for record in kafka.records("air", 2))
    assert read(kafka, 0, end)["value"].to_pylist() == [b"a", b"b"]


def test_records_that_have_gone_meanwhile_are_told_of(kafka: MockKafka) -> None:
    kafka.produce("air", [str(n) for n in range(9)])
    kafka.tell("forget air 0 5")
    rows = read(kafka, 2, 7).to_pylist()
    gone = "offsets 2 to 4 of air/0 were deleted before they were read"
    assert [(row["offset"], row["value"], row["lost"]) for row in rows] == [
        (4, None, gone),
        (5, b"5", None),
        (6, b"6", None),
    ]
    with pytest.raises(ValueError, match="offsets 2 to 6 of air/0 are gone"):
        read(kafka, 2, 7, strict=True)


def test_all_of_a_range_may_have_gone(kafka: MockKafka) -> None:
    kafka.produce("air", [str(n) for n in range(9)])
    kafka.tell("forget air 0 8")
    assert [(row["offset"], row["lost"]) for row in read(kafka, 2, 7).to_pylist()] == [
        (6, "offsets 2 to 6 of air/0 were deleted before they were read")
    ]


def test_brokers_that_are_away_pass(kafka: MockKafka) -> None:
    kafka.produce("air", ["a"])
    kafka.down()
    with pytest.raises(OSError, match="the brokers of Kafka do not answer: Connection timed out"):
        read(kafka, 0, 1, patience_s=1.0)


def test_a_lost_leader_is_waited_for(kafka: MockKafka) -> None:
    """The records come from whoever leads the partition then."""
    kafka.produce("air", [str(n) for n in range(100)])
    for broker in (1, 2, 3):
        kafka.tell(f"down {broker}")
    batches = read_range(client_options(kafka.servers, {}), OffsetRange("air", 0, 0, 100), ALL, 20.0)
    kafka.up()
    assert sum(batch.num_rows for batch in batches) == 100
