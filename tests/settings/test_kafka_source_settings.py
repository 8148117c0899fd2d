"""What a stream in Kafka says of its source."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError
from kaicep.settings import KafkaSourceSettings, SourceSettings


def source(more: dict[str, Any] | None = None, **kafka: Any) -> SourceSettings:
    own = {"kafka": {"servers": "b:1", "topics": ["air"], **kafka}, **(more or {})}
    stream = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"room": {}}, "source": own}
    found = Settings.parse({"streams": {"s": stream}}).streams["s"].source
    assert found is not None
    return found


def test_what_is_meant_where_nothing_is_said() -> None:
    found = source()
    assert found.format == "json"
    assert found.kafka == KafkaSourceSettings(servers="b:1", topics=("air",))
    assert (found.kafka.starting, found.kafka.most, found.kafka.strict) == ("earliest", None, None)
    assert source({"format": "csv", "sep": ";"}, topics="air").options() == {"sep": ";"}


def test_limits_have_the_names_of_spark() -> None:
    limits: dict[str, Any] = {
        "maxOffsetsPerTrigger": 9,
        "minOffsetsPerTrigger": 3,
        "maxTriggerDelay": "1min",
        "failOnDataLoss": False,
    }
    found = source(**limits).kafka
    assert found is not None
    assert (found.most, found.least, found.delay, found.strict) == (9, 3, timedelta(minutes=1), False)


def test_where_records_are() -> None:
    assert source().place == "the topics air"
    assert source(topics=[], pattern="a.*").place == "the topics a.*"
    assert SourceSettings(format="json", path="in").place == "in"


def test_the_time_may_be_filled_from_beside_the_value() -> None:
    found = source(timestamp="at", key="room").kafka
    assert found is not None
    assert found.filled == {"source.kafka.key": "room", "source.kafka.timestamp": "at"}


@pytest.mark.parametrize(
    ("more", "kafka", "message"),
    [
        ({}, {"topics": []}, 'write either topics = ["…"] or pattern = "…"'),
        ({}, {"pattern": "a.*"}, 'write either topics = ["…"] or pattern = "…"'),
        ({}, {"topics": ["a b"]}, "no topic is called 'a b'; write letters, digits, ., _ and -"),
        ({}, {"topics": [], "pattern": "a("}, "'a(' is no regular expression: missing )"),
        ({}, {"starting": "2026-01-01"}, "'2026-01-01' is no place to start; write earliest, latest, or a time"),
        ({}, {"key": "rom"}, "source.kafka.key: 'rom' is no attribute of the stream; its attributes: room"),
        ({}, {"headers": {"x": "trace"}}, "source.kafka.headers.x: 'x' is no attribute of the stream"),
        ({}, {"maxOffsetsPerTrigger": 0}, "source.kafka.maxOffsetsPerTrigger: takes 1 or more, not 0"),
        ({}, {"maxOffsetPerTrigger": 5}, "unknown key 'maxOffsetPerTrigger'"),
        ({"path": "in"}, {}, "records in Kafka stand in no files; drop 'path'"),
        ({"file_name": "room"}, {}, "records in Kafka stand in no files; drop 'file_name'"),
        ({"format": "parquet"}, {}, "values in Kafka are json, csv, text, not 'parquet'"),
    ],
)
def test_what_a_source_cannot_say(more: dict[str, Any], kafka: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        source(more, **kafka)
    assert message in str(caught.value)
