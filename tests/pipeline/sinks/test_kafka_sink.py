"""Rows in a topic, against the brokers of librdkafka's mock cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from kaicep.errors import ConfigError, PipelineError
from kaicep.pipeline.sinks.kafka_sink import KafkaSink, kafka_sink
from kaicep.storage import is_transient
from support.kafka import MockKafka, mock_kafka
from support.match_rows import matches


@pytest.fixture
def kafka() -> Iterator[MockKafka]:
    with mock_kafka(rows=1) as cluster:
        yield cluster


def sink(kafka: MockKafka, **more: Any) -> KafkaSink:
    return KafkaSink(kafka.servers, "rows", timeout=timedelta(seconds=5), **more)


def rates(kafka: MockKafka) -> list[int]:
    return [json.loads(record.value() or b"")["rate"] for record in kafka.records("rows", 1000)]


def test_each_row_is_a_record_with_its_identity(kafka: MockKafka) -> None:
    of = sink(kafka)
    of.write(1, "Q", matches(1, 2))
    of.close()
    (first, _) = kafka.records("rows", 2)
    row = json.loads(first.value() or b"")
    assert (row["rate"], row["_query"]) == (1, "Q")
    assert first.key() == row["_id"].encode()
    assert first.headers() == [("_id", row["_id"].encode()), ("query", b"Q")]


def test_the_key_may_be_an_item(kafka: MockKafka) -> None:
    of = sink(kafka, key="rate")
    of.write(1, "Q", matches(7))
    assert kafka.records("rows", 1)[0].key() == b"7.0"


def test_a_batch_that_comes_again_is_there_once(kafka: MockKafka) -> None:
    """Another process takes up where the first one was: in the middle of its second batch."""
    first = sink(kafka)
    first.write(1, "Q", matches(1, 2))
    state = json.loads(json.dumps(first.snapshot()))
    first.write(2, "Q", matches(3))
    second = sink(kafka)
    second.restore(state)
    second.write(2, "Q", matches(3, 4))
    second.write(2, "P", matches(3))
    assert rates(kafka) == [1, 2, 3, 4, 3]


def test_a_snapshot_of_another_topic_says_nothing(kafka: MockKafka) -> None:
    of = sink(kafka)
    of.write(1, "Q", matches(1))
    again = sink(kafka)
    for state in ({}, {"topic": "others", "ends": {}}):
        again.restore(state)
    again.write(1, "Q", matches(1))
    assert rates(kafka) == [1, 1]


@pytest.mark.long
def test_brokers_that_are_away_are_waited_for(kafka: MockKafka) -> None:
    of = KafkaSink(kafka.servers, "rows", timeout=timedelta(seconds=4))  # a busy client learns late that they are
    of.write(1, "Q", matches(1))
    state = of.snapshot()
    kafka.down()
    with pytest.raises(PipelineError, match="cannot write matches to the topic rows: the brokers cannot be") as caught:
        of.write(2, "Q", matches(2))
    assert is_transient(caught.value)
    with pytest.raises(PipelineError, match=r"cannot write matches to the topic rows: .*do not answer") as caught:
        of.snapshot()
    assert is_transient(caught.value)
    kafka.up()
    of.restore(state)
    of.write(2, "Q", matches(2))
    assert rates(kafka) == [1, 2]


def test_a_topic_that_nobody_makes_lasts(kafka: MockKafka) -> None:
    kafka.tell("refuse rows 3")
    with pytest.raises(PipelineError, match="Unknown topic") as caught:
        KafkaSink(kafka.servers, "rows", timeout=timedelta(seconds=2)).write(1, "Q", matches(1))
    assert not is_transient(caught.value)


def test_a_place_of_the_command_line(kafka: MockKafka) -> None:
    kafka_sink(f"{kafka.servers}/rows?linger.ms=1&client.id=rows").write(1, "Q", matches(5))
    assert rates(kafka) == [5]


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("rows", "'rows' names no topic of Kafka: write servers and topic: broker:9092/rows"),
        ("/rows", "'/rows' names no topic of Kafka"),
        ("b:1/rows?nonsense=1", "No such configuration property"),
        ("b:1/rows?sasl.password=env:NO_SUCH", "sasl.password: the environment has no variable 'NO_SUCH'"),
    ],
)
def test_what_is_no_place(place: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        kafka_sink(place)
    assert message in str(caught.value)
