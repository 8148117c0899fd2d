"""The subscriptions of a project together."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError, PipelineError
from kaicep.pipeline.sources.mqtt import stream_subscriptions
from kaicep.pipeline.sources.mqtt.stream_subscriptions import StreamSubscriptions
from support.air_and_water import payloads, project
from support.brokers import free_port, mosquitto, published
from support.receivers import eventually


def test_each_stream_has_its_own_session(tmp_path: Path) -> None:
    """What waits is taken when it is asked for once, and all that comes from then on otherwise."""
    port = free_port()
    settings = project(tmp_path, port)
    with mosquitto(tmp_path, port) as broker:
        StreamSubscriptions(settings, print).take_waiting()  # the sessions begin
        published(broker, ("air/1", "1"), ("water/1", "2"), ("air/2", "3"))
        StreamSubscriptions(settings, print).take_waiting()
        assert (payloads(tmp_path, "air"), payloads(tmp_path, "water")) == (["1", "3"], ["2"])
        intake = StreamSubscriptions(settings, print)
        assert set(intake.troubles) == {"air", "water"}
        intake.start()
        assert eventually(lambda: not intake.troubles)
        published(broker, ("air/1", "4"))
        assert eventually(lambda: payloads(tmp_path, "air") == ["1", "3", "4"])
        intake.stop()


def test_what_waits_cannot_be_taken_from_a_broker_that_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_subscriptions, "_PATIENCE_S", 0.5)
    port = free_port()
    with pytest.raises(PipelineError, match=rf"streams.air: the broker 127.0.0.1:{port} cannot be reached"):
        StreamSubscriptions(project(tmp_path, port), print).take_waiting()


def test_a_secret_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"streams.air.source.mqtt.user: the environment has no variable 'NOBODY'"):
        StreamSubscriptions(project(tmp_path, 1, user="env:NOBODY"), print)


def test_a_project_without_brokers_needs_nothing(tmp_path: Path) -> None:
    intake = StreamSubscriptions(Settings.parse({}, root=tmp_path), print)
    intake.take_waiting()
    intake.start()
    intake.stop()
    assert intake.troubles == {}
