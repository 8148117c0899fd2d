"""`source = { mqtt = { … } }`, and what goes with it in a stream."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError


def parsed(source: dict[str, Any], **mqtt: Any) -> Settings:
    whole = {"mqtt": {"server": "mqtt://b", "topics": "building/{room}", **mqtt}, **source}
    attributes: dict[str, Any] = {name: {} for name in ("at", "room", "value")}
    stream = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": attributes, "source": whole}
    return Settings.parse({"streams": {"air/1": stream}}, root=Path("/p"), file="p.toml")


def test_messages_are_kept_in_the_state() -> None:
    source = parsed({}).streams["air/1"].source
    assert source is not None
    assert source.path == "var/state/inbox/air%2F1"
    assert source.options() == {"cleanSource": "delete"}
    assert source.place == "building/{room} of mqtt://b"
    assert source.mqtt is not None
    assert source.mqtt.topics == ("building/{room}",)


def test_what_is_filled_is_told() -> None:
    source = parsed({}, value="value").streams["air/1"].source
    assert source is not None
    assert source.mqtt is not None
    assert source.mqtt.filled == {"source.mqtt.value": "value", "source.mqtt.topics: 'building/{room}'": "room"}


@pytest.mark.parametrize(
    ("source", "mqtt", "why"),
    [
        ({"path": "in/"}, {}, "drop 'path'"),
        ({"kafka": {"servers": "b:1", "topics": ["t"]}}, {}, "drop 'kafka'"),
        ({"format": "csv"}, {}, "payloads of MQTT are json, not 'csv'"),
        ({"topics": "a"}, {}, "messages of MQTT have no 'topics'"),
        ({}, {"topics": "a/{roon}"}, "source.mqtt.topics: 'a/{roon}': 'roon' is no attribute of the stream"),
        ({}, {"topics": []}, "at least 1 item"),
        ({}, {"topics": "a/#/b"}, "'a/#/b' is no pattern of topics"),
        ({}, {"received": "when"}, "source.mqtt.received: 'when' is no attribute of the stream"),
        ({}, {"client_id": ""}, "a client id has 1 to 65,535 characters"),
        ({}, {"topcis": "a"}, "unknown key 'topcis'"),
    ],
)
def test_what_is_refused(source: dict[str, Any], mqtt: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(source, **mqtt)
    assert why in str(caught.value)


def test_a_format_of_that_name_is_told_where_a_broker_is_written() -> None:
    stream = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "source": {"format": "mqtt", "topics": "a"}}
    with pytest.raises(ConfigError, match="a broker is a table of its own") as caught:
        Settings.parse({"streams": {"air": stream}})
    assert 'mqtt = { server = "mqtt://…"' in str(caught.value)
