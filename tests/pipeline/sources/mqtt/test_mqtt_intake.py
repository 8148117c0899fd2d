"""The subscriptions of a project together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError, PipelineError
from kaicep.pipeline.sources import MqttIntake
from kaicep.pipeline.sources.mqtt import mqtt_intake
from support.brokers import free_port, mosquitto, published
from support.receivers import eventually


def project(folder: Path, port: int, **mqtt: Any) -> Settings:
    server = f"mqtt://127.0.0.1:{port}"
    streams = {
        name: {
            "event_type": "<urn:R>",
            "time": {"attribute": "at"},
            "source": {"mqtt": {"server": server, "topics": f"{name}/+", **mqtt}},
        }
        for name in ("air", "water")
    }
    other = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "source": {"format": "json", "path": "in/"}}
    return Settings.parse({"streams": {**streams, "other": other}}, root=folder)


def payloads(folder: Path, stream: str) -> list[str]:
    files = sorted((folder / "var/state/inbox" / stream).glob("mqtt-*.jsonl"))
    return [json.loads(line)["payload"] for file in files for line in file.read_text().splitlines()]


def test_each_stream_has_its_own_session(tmp_path: Path) -> None:
    """What waits is taken when it is asked for once, and all that comes from then on otherwise."""
    port = free_port()
    settings = project(tmp_path, port)
    with mosquitto(tmp_path, port) as broker:
        MqttIntake(settings).take_waiting()  # the sessions begin
        published(broker, ("air/1", "1"), ("water/1", "2"), ("air/2", "3"))
        MqttIntake(settings).take_waiting()
        assert (payloads(tmp_path, "air"), payloads(tmp_path, "water")) == (["1", "3"], ["2"])
        intake = MqttIntake(settings)
        assert set(intake.troubles) == {"air", "water"}
        intake.start()
        assert eventually(lambda: not intake.troubles)
        published(broker, ("air/1", "4"))
        assert eventually(lambda: payloads(tmp_path, "air") == ["1", "3", "4"])
        intake.stop()


def test_what_waits_cannot_be_taken_from_a_broker_that_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt_intake, "_PATIENCE_S", 0.5)
    port = free_port()
    with pytest.raises(PipelineError, match=rf"streams.air: the broker 127.0.0.1:{port} cannot be reached"):
        MqttIntake(project(tmp_path, port)).take_waiting()


def test_a_secret_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"streams.air.source.mqtt.user: the environment has no variable 'NOBODY'"):
        MqttIntake(project(tmp_path, 1, user="env:NOBODY"))


def test_a_project_without_brokers_needs_nothing(tmp_path: Path) -> None:
    intake = MqttIntake(Settings.parse({}, root=tmp_path))
    intake.take_waiting()
    intake.start()
    intake.stop()
    assert intake.troubles == {}
