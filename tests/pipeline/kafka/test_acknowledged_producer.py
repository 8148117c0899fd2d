"""Records count when they are acknowledged, and are there in order, once."""

from __future__ import annotations

import confluent_kafka
import pytest
from kaicep.pipeline.kafka import AcknowledgedProducer, KafkaRecord, KafkaRefusalError, client_options
from support.kafka import mock_kafka


def record(number: int, topic: str = "t") -> KafkaRecord:
    return KafkaRecord(topic, b"%d" % number, None, {"n": str(number)})


def test_more_records_than_the_client_has_room_for() -> None:
    with mock_kafka(t=1) as kafka:
        options = client_options(kafka.servers, {"queue.buffering.max.messages": "50"})
        producer = AcknowledgedProducer(confluent_kafka, options, 20.0)
        producer.send([record(n) for n in range(500)])
        producer.send([])
        producer.close()
        assert [int(found.value() or b"") for found in kafka.records("t", 500)] == list(range(500))


def test_nobody_is_there() -> None:
    producer = AcknowledgedProducer(confluent_kafka, client_options("127.0.0.1:9", {}), 0.5)
    with pytest.raises(KafkaRefusalError, match="the brokers cannot be reached") as caught:
        producer.send([record(1)])
    assert not caught.value.lasting


def test_options_that_contradict_acknowledgement_do_not_win() -> None:
    producer = AcknowledgedProducer(confluent_kafka, {**client_options("127.0.0.1:9", {}), "acks": "0"}, 1.0)
    producer.check()
