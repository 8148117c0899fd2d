"""What Spark's own connector is given; its jar is not among what is installed."""

from __future__ import annotations

from typing import Any

from kaicep.pipeline.sources.kafka.spark_connector import connector_options
from kaicep.settings import KafkaSourceSettings


def options(client: dict[str, str] | None = None, read: Any = None, **kafka: Any) -> dict[str, str]:
    settings = KafkaSourceSettings.model_validate({"servers": "b:1", "topics": ["air", "door"], **kafka})
    return connector_options(settings, client or {}, read or {})


def test_all_that_is_said() -> None:
    assert options(
        maxOffsetsPerTrigger=10,
        minOffsetsPerTrigger=2,
        maxTriggerDelay="1min",
        failOnDataLoss=False,
        headers={"h": "x"},
    ) == {
        "kafka.bootstrap.servers": "b:1",
        "kafka.isolation.level": "read_committed",
        "subscribe": "air,door",
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": "10",
        "minOffsetsPerTrigger": "2",
        "maxTriggerDelay": "60s",
        "failOnDataLoss": "false",
        "includeHeaders": "true",
    }


def test_where_reading_begins() -> None:
    by_time = options(topics=(), pattern="a.*", starting="2026-01-01T00:00:00Z")
    assert by_time["startingTimestamp"] == "1767225600000"
    assert by_time["subscribePattern"] == "a.*"
    read_on = options(read={"air": {"0": 5}}, starting="latest")
    assert read_on["startingOffsets"] == '{"air": {"0": 5}}'


def test_users_are_written_as_java_has_them() -> None:
    login = {"sasl.mechanisms": "SCRAM-SHA-512", "sasl.username": "ops", "sasl.password": 'a"b\\'}
    found = options({"security.protocol": "SASL_SSL", "ssl.ca.location": "/ca.pem", **login})
    assert found["kafka.security.protocol"] == "SASL_SSL"
    assert found["kafka.sasl.mechanism"] == "SCRAM-SHA-512"
    assert found["kafka.sasl.jaas.config"] == (
        'org.apache.kafka.common.security.scram.ScramLoginModule required username="ops" password="a\\"b\\\\";'
    )
    assert (found["kafka.ssl.truststore.type"], found["kafka.ssl.truststore.location"]) == ("PEM", "/ca.pem")
    assert not [name for name in found if name.endswith((".username", ".password"))]
