"""What the brokers say of topics."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from confluent_kafka import Producer
from kaicep.pipeline.kafka import client_options
from kaicep.pipeline.kafka.offset_ranges import OffsetRange
from kaicep.pipeline.kafka.topic_offsets import TopicOffsets
from kaicep.storage import is_transient
from support.kafka import MockKafka, mock_kafka

TOPIC_AUTHORIZATION_FAILED = 29


@pytest.fixture
def kafka() -> Iterator[MockKafka]:
    with mock_kafka(air=2, door=1) as cluster:
        yield cluster


def asked(kafka: MockKafka, *topics: str, pattern: str | None = None, timeout_s: float = 10.0) -> TopicOffsets:
    return TopicOffsets(client_options(kafka.servers, {}), topics, pattern, timeout_s)


def test_from_where_to_where_records_go(kafka: MockKafka) -> None:
    kafka.produce("air", ["a", "b", "c"], partition=1)
    kafka.tell("forget air 1 2")
    of = asked(kafka, "air", "nowhere")
    assert of.partitions() == {"air": [0, 1]}
    assert of.earliest() == {"air": {"0": 0, "1": 2}}
    assert of.latest() == {"air": {"0": 0, "1": 3}}
    assert of.earliest_of([OffsetRange("air", 1, 0, 3)]) == {"air/1": 2}
    of.close()


def test_topics_of_a_pattern_match_as_a_whole(kafka: MockKafka) -> None:
    assert asked(kafka, pattern="a.*|doo").partitions() == {"air": [0, 1]}
    assert asked(kafka, pattern="nothing").latest() == {}


def test_a_time_behind_all_records_is_the_end(kafka: MockKafka) -> None:
    """The mock brokers answer every question about time with that: they have no index of times."""
    kafka.produce("door", ["a", "b"])
    assert asked(kafka, "door").at(datetime(2040, 1, 1, tzinfo=UTC)) == {"door": {"0": 2}}


def test_a_time_is_the_first_offset_that_is_not_older(kafka: MockKafka, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"latest": {"air": {"0": 9, "1": 9}}, "timestamp": {"air": {"0": 4, "1": -1}}}
    times = []
    of = asked(kafka, "air")

    def listed(which: str, at_ms: int = 0, partitions: object = None) -> object:
        times.append(at_ms)
        return answers[which]

    monkeypatch.setattr(of, "_listed", listed)
    assert of.at(datetime(2026, 1, 1, tzinfo=UTC)) == {"air": {"0": 4, "1": 9}}
    assert times == [0, 1767225600000]


def test_transactions_that_are_open_are_not_there_yet(kafka: MockKafka) -> None:
    """What may be read is asked for with the isolation that it is read with."""
    producer = Producer({"bootstrap.servers": kafka.servers, "transactional.id": "t"})
    producer.init_transactions(10)
    producer.begin_transaction()
    producer.produce("door", "a")
    producer.commit_transaction(10)
    assert asked(kafka, "door").latest()["door"]["0"] >= 1


def test_brokers_that_are_away_pass(kafka: MockKafka) -> None:
    of = asked(kafka, "air", timeout_s=4.0)
    assert of.latest()
    kafka.down()
    with pytest.raises(OSError, match="the brokers of Kafka do not answer") as caught:
        of.latest()
    assert is_transient(caught.value)
    assert is_transient(RuntimeError(str(caught.value)))


def test_who_is_not_let_in(kafka: MockKafka) -> None:
    kafka.tell(f"refuse air {TOPIC_AUTHORIZATION_FAILED}")
    with pytest.raises(ValueError, match=r"Kafka refuses: .*authorization"):
        asked(kafka, "air").latest()
