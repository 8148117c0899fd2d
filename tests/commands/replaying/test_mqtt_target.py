"""Events to topics, against a real Mosquitto."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from kaicep.commands.replaying.mqtt_target import MqttTarget
from kaicep.commands.replaying.replay_target import TargetSpec
from kaicep.config import Settings
from kaicep.errors import PipelineError
from support.brokers import free_port, listener, mosquitto
from support.receivers import eventually


def project(folder: Path, server: str, **mqtt: Any) -> Settings:
    stream = {
        "event_type": "<urn:R>",
        "time": {"attribute": "at"},
        "attributes": {"room": {}, "value": {}},
        "source": {"mqtt": {"server": server, "topics": "a/{room}", **mqtt}},
    }
    return Settings.parse({"streams": {"air": stream}}, root=folder)


def test_levels_have_names_of_attributes(tmp_path: Path) -> None:
    with mosquitto(tmp_path, free_port()) as broker, listener(broker, "#") as found:
        target = MqttTarget(TargetSpec(f"mqtt://{broker}/b/{{room}}/%7Bkind%7D"))
        target.send([{"room": "B1", "kind": "co2", "n": 1}, {"room": "B2", "kind": "t", "n": 2}])
        with pytest.raises(PipelineError, match=r"the topic needs \{kind\}"):
            target.send([{"room": "B1", "n": 1}])
        target.close()
        assert eventually(lambda: len(found) == 2)
    assert found == [("b/B1/co2", {"n": 1}), ("b/B2/t", {"n": 2})]


def test_a_stream_says_which_topic_and_what_a_payload_is(tmp_path: Path) -> None:
    with mosquitto(tmp_path, free_port()) as broker, listener(broker, "#") as found:
        settings = project(tmp_path, "mqtt://elsewhere", value="value")
        target = MqttTarget(TargetSpec(f"mqtt://{broker}", settings, "air"))
        target.send([{"room": "B1", "value": 21.5}])
        target.close()
        assert eventually(lambda: len(found) == 1)
    assert [(topic, str(value)) for topic, value in found] == [("a/B1", "21.5")]


def test_levels_are_looked_at_before_one_event_is_on_its_way(tmp_path: Path) -> None:
    with mosquitto(tmp_path, free_port()) as broker, listener(broker, "#") as found:
        target = MqttTarget(TargetSpec(f"mqtt://{broker}/b/{{room}}/{{path#}}"))
        assert target.texts == {"room", "path"}
        with pytest.raises(PipelineError, match=r"which is 'a/b'.*\{room#\} at the end may have several levels"):
            target.send([{"room": "B1", "path": "c", "n": 1}, {"room": "a/b", "path": "c", "n": 2}])
        target.send([{"room": "B1", "path": "c/d", "n": 3}])
        target.close()
        assert eventually(lambda: len(found) == 1)
    assert found == [("b/B1/c/d", {"n": 3})]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mqtt://127.0.0.1:1/a/+", r"'a/\+' does not say what stands in level 2"),
        ("mqtt://127.0.0.1:1", "'' is no pattern of topics"),
        ("mqtt://127.0.0.1:99999/a", "has no port"),
        ("mqtt://me:secret@127.0.0.1:1/a", "a user and a password are keys of their own"),
        ("mqtt://127.0.0.1:1/a", "the broker 127.0.0.1:1 cannot be reached"),
    ],
)
def test_what_is_no_place(url: str, why: str) -> None:
    with pytest.raises(PipelineError, match=why):
        MqttTarget(TargetSpec(url))


def test_what_a_broker_refuses_is_not_sent(tmp_path: Path) -> None:
    """It acknowledges it, and says with that why."""
    rights = tmp_path / "rights"
    rights.write_text("topic read #\ntopic write a/1\n")
    rights.chmod(0o644)
    own = ("user root",) if os.geteuid() == 0 else ()
    with mosquitto(tmp_path, free_port(), f"acl_file {rights}", *own) as broker:
        target = MqttTarget(TargetSpec(f"mqtt://{broker}/a/{{n}}"))
        target.send([{"n": 1}])
        with pytest.raises(PipelineError, match="refuses what is published to 'a/2': not authorized"):
            target.send([{"n": 1}, {"n": 2}])
        target.close()
