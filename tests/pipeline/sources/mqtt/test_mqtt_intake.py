"""Messages are taken by a process of their own, as long as the one that has begun it wants them."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.pipeline.sources import MqttIntake
from kaicep.pipeline.sources.mqtt import MessageInbox, mqtt_intake
from kaicep.storage import ChildProcess
from support.air_and_water import payloads, project
from support.brokers import free_port, mosquitto, published
from support.processes import process
from support.receivers import eventually


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[ChildProcess]:
    """The processes that were begun."""
    found: list[ChildProcess] = []

    def begin(*given: object) -> ChildProcess:
        found.append(ChildProcess(*given))  # type: ignore[arg-type]  # as it is given
        return found[-1]

    monkeypatch.setattr(mqtt_intake, "ChildProcess", begin)
    return found


def lets_go(folder: Path) -> bool:
    """Whether nobody takes the messages of `air`."""
    inbox = MessageInbox(folder / "var/state/inbox/air")
    if inbox.open():
        inbox.close()
        return True
    return False


def test_messages_come_until_it_stops(tmp_path: Path, begun: list[ChildProcess]) -> None:
    port, said = free_port(), list[str]()
    with mosquitto(tmp_path, port) as broker:
        intake = MqttIntake(project(tmp_path, port), said.append)
        assert set(intake.troubles) == {"air", "water"}
        intake.start()
        assert eventually(lambda: not intake.troubles)
        published(broker, ("air/1", "1"), ("water/1", "2"))
        assert eventually(lambda: payloads(tmp_path, "air") == ["1"] and payloads(tmp_path, "water") == ["2"])
        published(broker, ("air/1", "3"))
        growing = tmp_path / "var/state/inbox/air.growing"
        assert eventually(lambda: growing.exists() or len(payloads(tmp_path, "air")) > 1)
        intake.stop()
        assert payloads(tmp_path, "air") == ["1", "3"]
    assert (len(begun), begun[0].runs, lets_go(tmp_path), said) == (1, False, True, [])


def test_what_its_process_says_is_said(tmp_path: Path) -> None:
    """A broker that is away, and comes back; troubles are told as they are now."""
    port, said = free_port(), list[str]()
    intake = MqttIntake(project(tmp_path, port), said.append)
    intake.start()
    away = f"the broker 127.0.0.1:{port} cannot be reached: Connection refused"
    assert eventually(lambda: f"streams.air: {away}" in said and intake.troubles.get("air") == away)
    with mosquitto(tmp_path, port):
        assert eventually(lambda: not intake.troubles)
        assert eventually(lambda: "streams.air: its messages are taken again" in said)
        intake.stop()


def test_one_that_is_killed_is_begun_again_and_loses_nothing(
    tmp_path: Path, begun: list[ChildProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt_intake, "_AGAIN_S", 0.1)
    port, said = free_port(), list[str]()
    with mosquitto(tmp_path, port) as broker:
        intake = MqttIntake(project(tmp_path, port), said.append)
        intake.start()
        assert eventually(lambda: not intake.troubles)
        begun[0].kill()
        assert eventually(lambda: said)
        assert said == ["the process that takes messages of MQTT is begun again: it has ended"]
        published(broker, ("air/1", "1"))
        assert eventually(lambda: payloads(tmp_path, "air") == ["1"])
        assert eventually(lambda: not intake.troubles)
        intake.stop()
    assert len(begun) == 2


def test_it_ends_with_an_engine_that_is_killed(tmp_path: Path) -> None:
    """And lets the next one take the messages; what it has kept goes to that one."""
    port = free_port()
    with mosquitto(tmp_path, port) as broker:
        (tmp_path / "port").write_text(str(port))
        with process("taking_engine", tmp_path) as engine:
            assert engine.stdout is not None
            assert engine.stdout.readline() == "takes\n"
            published(broker, ("air/1", "1"))
            assert not lets_go(tmp_path)
            engine.kill()
        assert eventually(lambda: lets_go(tmp_path))
        published(broker, ("air/1", "2"))
        MqttIntake(project(tmp_path, port)).take_waiting()
        assert payloads(tmp_path, "air") == ["1", "2"]


def test_a_request_to_terminate_is_for_the_engine(tmp_path: Path, begun: list[ChildProcess]) -> None:
    """A service manager sends it to all processes of a service; the engine ends its own when its batch is done."""
    port, said = free_port(), list[str]()
    with mosquitto(tmp_path, port) as broker:
        intake = MqttIntake(project(tmp_path, port), said.append)
        intake.start()
        assert eventually(lambda: not intake.troubles)
        for number in (signal.SIGTERM, signal.SIGINT):
            begun[0]._process.send_signal(number)
        time.sleep(0.3)
        published(broker, ("air/1", "1"))
        assert eventually(lambda: payloads(tmp_path, "air") == ["1"])
        intake.stop()
    assert (len(begun), said) == (1, [])


def test_one_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: list[ChildProcess]) -> None:
    monkeypatch.setattr(mqtt_intake, "_PATIENCE_S", 0.2)
    monkeypatch.setattr(mqtt_intake, "words", lambda _: ["-c", "import time; time.sleep(600)"])
    intake = MqttIntake(project(tmp_path, free_port()))
    intake.start()
    assert eventually(lambda: begun)
    began = time.monotonic()
    intake.stop()
    assert time.monotonic() - began < 60
    assert not begun[0].runs


def test_a_project_without_brokers_begins_nothing(tmp_path: Path, begun: list[ChildProcess]) -> None:
    intake = MqttIntake(Settings.parse({}, root=tmp_path))
    intake.start()
    intake.stop()
    assert (begun, intake.troubles) == ([], {})
