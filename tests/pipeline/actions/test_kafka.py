"""Calls as records, against the brokers of librdkafka's mock cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kaicep.errors import ConfigError
from kaicep.pipeline.actions import DeliveryError, make_action
from support.kafka import MockKafka, mock_kafka
from support.receivers import action, call, spec

PRODUCE = 0
NOT_ENOUGH_REPLICAS, TOPIC_AUTHORIZATION_FAILED, REQUEST_TIMED_OUT = 19, 29, 7


@pytest.fixture
def kafka() -> Iterator[MockKafka]:
    with mock_kafka(alarms_B1=1, t=1) as cluster:
        yield cluster


def of(kafka: MockKafka, **more: Any) -> dict[str, Any]:
    return {"servers": kafka.servers, "topic": "t", **more}


def test_calls_are_records_in_order(kafka: MockKafka, tmp_path: Path) -> None:
    producer = action(tmp_path, kafka=of(kafka, topic="alarms_{room}", key="{room}/{n}"))
    producer.send([call(n, room="B1", n=n) for n in range(1000)])
    producer.close()
    found = kafka.records("alarms_B1", 1000)
    values = [json.loads(record.value() or b"") for record in found]
    assert [value["_id"] for value in values] == [f"r-{n}" for n in range(1000)]
    assert [record.key() for record in found[:2]] == [b"B1/0", b"B1/1"]
    assert found[7].headers() == [("_id", b"r-7"), ("rule", b"r")]


def test_without_a_template_there_is_no_key(kafka: MockKafka, tmp_path: Path) -> None:
    producer = action(tmp_path, kafka=of(kafka))
    producer.send([call()])
    producer.close()
    assert kafka.records("t", 1)[0].key() is None


def test_values_make_names_of_topics(kafka: MockKafka, tmp_path: Path) -> None:
    kafka.tell("topic a_2fb_e9 1")
    producer = action(tmp_path, kafka=of(kafka, topic="{room}"))
    producer.send([call(1, room="a/bé")])
    producer.close()
    assert len(kafka.records("a_2fb_e9", 1)) == 1


@pytest.mark.parametrize("room", ["", "..", "x" * 250], ids=["empty", "folder", "endless"])
def test_what_is_no_topic_fails_by_itself(room: str, kafka: MockKafka, tmp_path: Path) -> None:
    producer = action(tmp_path, kafka=of(kafka, topic="{room}"))
    with pytest.raises(DeliveryError, match="no topic can be called") as caught:
        producer.send([call(1, room="t"), call(2, room=room), call(3, room="t")])
    producer.close()
    assert (caught.value.delivered, caught.value.hopeless) == (1, True)
    assert len(kafka.records("t", 2)) == 1


def test_a_record_that_is_too_large_fails_by_itself(kafka: MockKafka, tmp_path: Path) -> None:
    producer = action(tmp_path, kafka=of(kafka))
    with pytest.raises(DeliveryError, match="Message size too large") as caught:
        producer.send([call(1), call(2, text="x" * 2_000_000), call(3)])
    assert (caught.value.delivered, caught.value.hopeless) == (1, True)
    producer.send([call(3)])
    producer.close()
    assert [json.loads(record.value() or b"")["_id"] for record in kafka.records("t", 3)] == ["r-1", "r-3"]


def test_a_topic_that_nobody_makes_is_hopeless(kafka: MockKafka, tmp_path: Path) -> None:
    kafka.tell("refuse nowhere 3")  # as brokers do that make no topics
    producer = action(tmp_path, kafka=of(kafka, topic="nowhere"), timeout="2s")
    with pytest.raises(DeliveryError, match=r"[Uu]nknown topic") as caught:
        producer.send([call()])
    assert (caught.value.delivered, caught.value.hopeless) == (0, True)


def test_who_is_not_let_in_has_no_hope(kafka: MockKafka, tmp_path: Path) -> None:
    kafka.tell(f"error {PRODUCE} {TOPIC_AUTHORIZATION_FAILED} 1")
    with pytest.raises(DeliveryError, match="authorization failed") as caught:
        action(tmp_path, kafka=of(kafka)).send([call()])
    assert caught.value.hopeless


def test_what_passes_is_waited_for(kafka: MockKafka, tmp_path: Path) -> None:
    """And the records are there once, in order: brokers know them by their numbers."""
    kafka.tell(f"error {PRODUCE} {NOT_ENOUGH_REPLICAS} 2")
    kafka.tell(f"error {PRODUCE} {REQUEST_TIMED_OUT} 2")
    producer = action(tmp_path, kafka=of(kafka))
    producer.send([call(n) for n in range(20)])
    producer.close()
    found = [json.loads(record.value() or b"")["_id"] for record in kafka.records("t", 100)]
    assert found == [f"r-{n}" for n in range(20)]


def test_brokers_that_are_away_are_tried_again(kafka: MockKafka, tmp_path: Path) -> None:
    producer = action(tmp_path, kafka=of(kafka), timeout="4s")  # on a busy machine a client learns late that they are
    producer.send([call(1)])
    kafka.down()
    with pytest.raises(DeliveryError, match="the brokers cannot be reached") as caught:
        producer.send([call(2)])
    assert (caught.value.delivered, caught.value.hopeless) == (0, False)
    kafka.up()
    producer.send([call(2)])
    producer.close()
    assert json.loads(kafka.records("t", 9)[-1].value() or b"")["_id"] == "r-2"


def test_calls_before_one_that_cannot_be_filled_are_delivered(kafka: MockKafka, tmp_path: Path) -> None:
    producer = action(tmp_path, kafka=of(kafka, key="{room}"))
    with pytest.raises(DeliveryError) as caught:
        producer.send([call(1, room="B1"), call(2), call(3, room="B3")])
    producer.close()
    assert (caught.value.delivered, caught.value.hopeless) == (1, True)


def test_secrets_are_found_where_the_file_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_PASSWORD", "hush")
    login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "ops"}
    options = {**login, "sasl.password": "env:KAFKA_PASSWORD"}
    action(tmp_path, kafka={"servers": "127.0.0.1:9", "topic": "t", "options": options}).check()
    monkeypatch.delenv("KAFKA_PASSWORD")
    with pytest.raises(ConfigError, match=r"kafka\.options\.sasl\.password: the environment has no variable"):
        action(tmp_path, kafka={"servers": "127.0.0.1:9", "topic": "t", "options": options})


def test_a_user_who_is_refused_has_no_hope(kafka: MockKafka, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mock brokers know no SASL: what they refuse is the mechanism."""
    monkeypatch.setenv("KAFKA_PASSWORD", "wrong")
    options = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "ops"}
    options["sasl.password"] = "env:KAFKA_PASSWORD"
    with pytest.raises(DeliveryError) as caught:
        action(tmp_path, kafka=of(kafka, options=options), timeout="3s").send([call()])
    assert caught.value.hopeless, caught.value.reason


def test_options_that_are_none(tmp_path: Path) -> None:
    own = spec(tmp_path, kafka={"servers": "b:9092", "topic": "t", "options": {"nonsense": "1"}})
    with pytest.raises(ConfigError, match=r'kafka\.options: .*No such configuration property: "nonsense"'):
        make_action(own).check()
