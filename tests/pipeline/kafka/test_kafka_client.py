"""What clients of Kafka are given, and which errors last."""

from __future__ import annotations

import sys

import pytest
from confluent_kafka import KafkaError
from kaicep.errors import ConfigError
from kaicep.pipeline.kafka import client_options, is_lasting, kafka_library


def test_options_pass_through_and_secrets_are_found() -> None:
    found = client_options("b:1", {"sasl.password": "env:P", "client.id": "ops"}, lambda name, text: f"{name}<{text}>")
    assert found["sasl.password"] == "sasl.password<env:P>"
    assert found["client.id"] == "client.id<ops>"
    assert found["bootstrap.servers"] == "b:1"


@pytest.mark.parametrize(
    ("code", "lasting"),
    [
        (KafkaError.MSG_SIZE_TOO_LARGE, True),
        (KafkaError.UNKNOWN_TOPIC_OR_PART, True),
        (KafkaError._AUTHENTICATION, True),
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, True),
        (KafkaError._TRANSPORT, False),
        (KafkaError.NOT_LEADER_FOR_PARTITION, False),
        (KafkaError._MSG_TIMED_OUT, False),
    ],
)
def test_which_errors_last(code: int, lasting: bool) -> None:
    assert is_lasting(KafkaError(code)) is lasting


def test_the_library_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(ConfigError, match=r"kaicep\.toml: a\.b: the library of Kafka is not installed: pip install"):
        kafka_library("a.b", "kaicep.toml")
