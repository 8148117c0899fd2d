"""Options of Spark's own connector, which is a jar: its client is Java's, whose names are mostly librdkafka's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from ....settings import KafkaSourceSettings
from ...kafka import Offsets

__all__ = ["SPARK_FORMAT", "connector_options"]

SPARK_FORMAT = "kafka"
_CLIENT = "kafka."
_MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}


def connector_options(settings: KafkaSourceSettings, client: Mapping[str, str], read: Offsets) -> dict[str, str]:
    """What Spark's connector is given to read what ours would.

    Args:
        settings: of the source.
        client: options of librdkafka, with their secrets.
        read: up to where topics were read before.

    Source: Spark, Structured Streaming + Kafka Integration Guide.
    """
    limits = {} if settings.most is None else {"maxOffsetsPerTrigger": str(settings.most)}
    if settings.least:
        seconds = int(settings.delay.total_seconds())
        limits |= {"minOffsetsPerTrigger": str(settings.least), "maxTriggerDelay": f"{seconds}s"}
    topics = (
        {"subscribe": ",".join(settings.topics)} if settings.topics else {"subscribePattern": settings.pattern or ""}
    )
    return {
        **{f"{_CLIENT}{name}": text for name, text in _of_java(client).items()},
        f"{_CLIENT}bootstrap.servers": settings.servers,
        f"{_CLIENT}isolation.level": client.get("isolation.level", "read_committed"),
        **topics,
        **_start(settings.starting, read),
        **limits,
        "failOnDataLoss": str(settings.strict is not False).lower(),
        "includeHeaders": str(bool(settings.headers)).lower(),
    }


def _start(starting: str, read: Offsets) -> dict[str, str]:
    if read:
        return {"startingOffsets": json.dumps(read)}
    if starting in ("earliest", "latest"):
        return {"startingOffsets": starting}
    milliseconds = int(datetime.fromisoformat(starting).timestamp() * 1000)
    return {"startingTimestamp": str(milliseconds), "startingOffsetsByTimestampStrategy": "latest"}


def _of_java(client: Mapping[str, str]) -> dict[str, str]:
    """The options by the names of Java's client: users and certificates are written otherwise there."""
    found = dict(client)
    mechanism = found.pop("sasl.mechanisms", None) or found.pop("sasl.mechanism", None)
    user, password = found.pop("sasl.username", None), found.pop("sasl.password", None)
    if mechanism is not None:
        found["sasl.mechanism"] = mechanism
    if user is not None and mechanism in _MODULES:
        login = f"username={_quoted(user)} password={_quoted(password or '')}"
        found["sasl.jaas.config"] = f"{_MODULES[mechanism]} required {login};"
    if (authority := found.pop("ssl.ca.location", None)) is not None:
        found |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": authority}
    return found


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
