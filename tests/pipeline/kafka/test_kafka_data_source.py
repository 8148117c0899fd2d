"""Batches are planned and read without Spark; with it: `tests/pipeline/sources/kafka/test_kafka_source.py`."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep.pipeline.kafka import KafkaDataSource, TopicRead
from kaicep.pipeline.kafka.kafka_data_source import KafkaStreamReader
from kaicep.pipeline.kafka.range_reader import KAFKA_SCHEMA
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows
from support.kafka import MockKafka, mock_kafka
from support.receivers import eventually

ALL = ReadAllAvailable()


@pytest.fixture
def kafka() -> Iterator[MockKafka]:
    with mock_kafka(air=2) as cluster:
        yield cluster


@pytest.fixture
def read(tmp_path: Path) -> TopicRead:
    return TopicRead("air", ("air",), None, "earliest", {}, str(tmp_path / "n.json"), patience_s=10.0)


def reader(kafka: MockKafka, read: TopicRead, told: list[str] | None = None) -> KafkaStreamReader:
    return KafkaStreamReader(read, kafka.servers, {}, (told if told is not None else []).append)


def values(of: KafkaStreamReader, start: Any, end: Any) -> list[bytes]:
    batches = [batch for part in of.partitions(start, end) for batch in of.read(part)]
    found: list[bytes] = pa.Table.from_batches(batches, KAFKA_SCHEMA)["value"].to_pylist()
    return found


def test_options_say_it_all(read: TopicRead) -> None:
    options = replace(read, most=5, columns=("key",)).options("b:1", {"sasl.password": "hush"})
    assert TopicRead.of(options) == replace(read, most=5, columns=("key",))
    assert options["kafka.secret.sasl.password"] == "hush"
    source = KafkaDataSource(options)
    assert source.name() == "kaicep_kafka"
    assert isinstance(source.streamReader(None), KafkaStreamReader)


def test_batches_follow_each_other(kafka: MockKafka, read: TopicRead) -> None:
    of = reader(kafka, read)
    start = of.initialOffset()
    assert start == {"air": {"0": 0, "1": 0}} == of.latestOffset(start, ALL)
    kafka.produce("air", ["a", "b"], partition=1)
    first = of.latestOffset(start, ALL)
    kafka.produce("air", ["c"], partition=0)
    second = of.latestOffset(first, ALL)
    assert (values(of, start, first), values(of, first, second)) == ([b"a", b"b"], [b"c"])
    assert values(of, second, second) == []
    of.stop()


def test_a_batch_is_bounded(kafka: MockKafka, read: TopicRead) -> None:
    kafka.produce("air", ["x"] * 8, partition=0)
    of = reader(kafka, replace(read, most=3))
    limit = of.getDefaultReadLimit()
    assert limit == ReadMaxRows(3)
    assert of.latestOffset(of.initialOffset(), limit) == {"air": {"0": 3, "1": 0}}
    assert of.latestOffset(of.initialOffset(), ALL) == {"air": {"0": 8, "1": 0}}


def test_too_little_is_waited_for(kafka: MockKafka, read: TopicRead) -> None:
    of = reader(kafka, replace(read, least=3))
    start = of.initialOffset()
    kafka.produce("air", ["x"] * 2)
    assert of.latestOffset(start, ALL) == start
    kafka.produce("air", ["x"], partition=1)
    assert of.latestOffset(start, ALL) == {"air": {"0": 2, "1": 1}}
    impatient = reader(kafka, replace(read, least=99, delay_s=0.0))
    assert impatient.latestOffset(start, ALL) == {"air": {"0": 2, "1": 1}}


def test_what_is_there_now_waits_for_nothing_and_ends(kafka: MockKafka, read: TopicRead) -> None:
    of = reader(kafka, replace(read, least=99))
    start = of.initialOffset()
    kafka.produce("air", ["x"])
    of.prepareForTriggerAvailableNow()
    kafka.produce("air", ["y"])
    assert of.latestOffset(start, ALL) == {"air": {"0": 1, "1": 0}}


def test_topics_and_partitions_are_found_later(kafka: MockKafka, read: TopicRead) -> None:
    of = reader(kafka, replace(read, topics=("later",)))
    start = of.initialOffset()
    assert start == {} == of.latestOffset(start, ALL)
    kafka.tell("topic later 1")
    kafka.produce("later", ["a"])
    assert values(of, start, of.latestOffset(start, ALL)) == [b"a"]
    assert values(of, {"air": {"0": 0}}, {"air": {"0": 0, "1": 0}}) == []


def test_while_brokers_are_away_there_is_nothing_new(kafka: MockKafka, read: TopicRead) -> None:
    """Other streams go on meanwhile; it is told once."""
    told: list[str] = []
    kafka.produce("air", ["a"])
    of = reader(kafka, replace(read, timeout_s=2.0), told)
    start = of.initialOffset()
    kafka.down()
    assert [of.latestOffset(start, ALL) for _ in range(2)] == [start, start]
    assert len(told) == 1
    assert told[0].startswith("streams.air: the brokers of Kafka do not answer")
    kafka.up()
    assert eventually(lambda: of.latestOffset(start, ALL) == {"air": {"0": 1, "1": 0}})
    assert told[1:] == ["streams.air: the brokers of Kafka answer again"]


def test_brokers_that_were_never_there_fail(kafka: MockKafka, read: TopicRead) -> None:
    kafka.down()
    with pytest.raises(OSError, match="the brokers of Kafka do not answer"):
        reader(kafka, replace(read, timeout_s=2.0)).initialOffset()
    with pytest.raises(OSError, match="the brokers of Kafka do not answer"):
        reader(kafka, replace(read, timeout_s=2.0)).prepareForTriggerAvailableNow()


def test_deleted_records_are_told(kafka: MockKafka, read: TopicRead) -> None:
    kafka.produce("air", [str(n) for n in range(6)])
    kafka.tell("forget air 0 4")
    start, end = {"air": {"0": 1}}, {"air": {"0": 6}}
    with pytest.raises(
        ValueError, match=r"streams\.air: offsets 1 to 3 of air/0 were deleted before they were read: leave failOn"
    ):
        reader(kafka, replace(read, strict=True)).partitions(start, end)
    assert values(reader(kafka, read), start, end) == [None, b"4", b"5"]


def test_a_topic_that_was_made_anew_is_told(kafka: MockKafka, read: TopicRead) -> None:
    kafka.produce("air", ["a"])
    of = reader(kafka, replace(read, strict=True))
    end = of.latestOffset({"air": {"0": 9, "1": 0}}, ALL)
    assert end == {"air": {"0": 1, "1": 0}}
    with pytest.raises(ValueError, match="air/0 was begun anew"):
        values(of, {"air": {"0": 9, "1": 0}}, end)


def test_workers_get_no_connections(kafka: MockKafka, read: TopicRead) -> None:
    of = KafkaStreamReader(read, kafka.servers, {})
    of.initialOffset()
    assert pickle.loads(pickle.dumps(of)).initialOffset() == of.initialOffset()  # noqa: S301 - our own
