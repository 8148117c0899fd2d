"""What docs/mqtt.md shows is read as it says, and is what the example has."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.config import Settings
from kaicep.settings.mqtt import MqttSourceSettings
from support.brokers import UNPACKED, free_port
from support.receivers import eventually

PATIENCE_S = 300.0
RECEIVED = "2026-01-01T08:00:00Z"
ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "mqtt.md").read_text(encoding="utf-8")
HOME = ROOT / "examples" / "smart_home"
TOML = re.findall(r"```toml\n(\[streams.*?)```", PAGE, re.DOTALL)
QUERY = re.findall(r"```\n(SELECT.*?)```", PAGE, re.DOTALL)
WALK = PAGE.partition("\n## From Home Assistant to a running query\n")[2].partition("\n## ")[0]
FILES = re.findall(r"```(?:toml|turtle|chi)\n# (\S+)\n(.*?)```", WALK, re.DOTALL)
COMMANDS = re.findall(r"```sh\n(.*?)```\n(?:\n```(?:text|json)\n(.*?)```)?", WALK, re.DOTALL)


def test_its_streams_are_those_of_the_example() -> None:
    sensor, state = (tomllib.loads(block)["streams"] for block in TOML[:2])
    shown = Settings.parse({"streams": sensor | state}, root=HOME).streams
    there = Settings.load(HOME).streams
    assert shown["state"] == there["state"]
    assert shown["sensor"].source == there["sensor"].source
    assert shown["sensor"].attributes.items() <= there["sensor"].attributes.items()


def test_its_query_is_that_of_the_example() -> None:
    written = (HOME / "queries" / "1_heated_street.chi").read_text(encoding="utf-8")
    assert written.endswith(QUERY[0])
    assert len(Project.load(HOME).registrations(QUERY[0], "shown")) == 1


def test_every_key_stands_in_its_table() -> None:
    rows = "".join(line for line in PAGE.splitlines() if line.startswith("| `"))
    assert {name for name in MqttSourceSettings.model_fields if f"`{name}`" not in rows} == set()


def test_the_files_of_the_walk_are_a_project(tmp_path: Path) -> None:
    """Its queries find what the walk publishes; a device that is away is no number, and no open window."""
    (tmp_path / "home" / "queries").mkdir(parents=True)
    for name, text in FILES:
        (tmp_path / name).write_text(text, encoding="utf-8")
    project = Project.load(tmp_path / "home")
    words = {"hall_window": "on", "hall_radiator": "heat", "bath_window": "unavailable"}
    events = {
        "state": [{"entity": entity, "state": word, "received": RECEIVED} for entity, word in words.items()],
        "measurement": [
            {"entity": "hall_temperature", "value": value, "received": RECEIVED} for value in ("15.5", "unavailable")
        ],
    }
    texts = {Path(name).stem: text for name, text in FILES if name.endswith(".chi")}
    with pytest.warns(UserWarning, match="'unavailable' is no xsd:double"):
        rows = {name: [dict(row) for row in project.evaluate(text, events)] for name, text in texts.items()}
    assert {name: len(found) for name, found in rows.items()} == {"heated": 1, "cold": 1}
    assert (rows["heated"][0]["opened"], rows["cold"][0]["celsius"]) == ("hall_window", 15.5)


@pytest.mark.long
@pytest.mark.spark
def test_the_walk_leads_from_messages_to_rows(tmp_path: Path) -> None:
    """Its files and commands, on free ports; what is asked while the engine is at work is asked again."""
    ports = {"1883": str(free_port()), "8080": str(free_port())}
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "kaicep").symlink_to(Path(sys.executable).parent / "kaicep")
    path = f"{programs}:{UNPACKED}:{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"
    environment = os.environ | {"PATH": path, "COLUMNS": "200"}
    assert len(COMMANDS) >= 10
    with ExitStack() as running:
        for commands, answer in COMMANDS:
            for command in commands.splitlines():
                run(on_ports(command, ports), answer, tmp_path, environment, running)
            if command.startswith("mkdir"):
                for name, text in FILES:
                    (tmp_path / name).write_text(on_ports(text, ports), encoding="utf-8")


def on_ports(text: str, ports: Mapping[str, str]) -> str:
    """With other ports, also where they go without saying."""
    text = re.sub(r"^mosquitto_pub", r"\g<0> -p 1883", text)
    text = re.sub(r"^kaicep serve home", r"\g<0> --port 8080", text)
    return re.sub("|".join(ports), lambda found: ports[found[0]], text)


def run(command: str, answer: str, folder: Path, environment: Mapping[str, str], running: ExitStack) -> None:
    """Run a command as the page says; one that goes on is ended behind the last one."""
    if command.startswith("pip "):
        return
    if command.startswith(("mosquitto -p", "kaicep serve")):
        process = running.enter_context(
            subprocess.Popen(["/bin/sh", "-c", f"exec {command}"], cwd=folder, env=environment, start_new_session=True)
        )
        running.callback(lambda: process.send_signal(signal.SIGINT))
        return
    said = ""

    def as_shown() -> bool:
        nonlocal said
        words = ["/bin/sh", "-c", command]
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        return done.returncode == 0 and shows(said, answer)

    assert eventually(as_shown, PATIENCE_S), f"{command}\n{said}"


def shows(said: str, answer: str) -> bool:
    """Whether all lines of an answer are said, and of each all but what … stands for."""
    patterns = (".*".join(map(re.escape, line.split("…"))) for line in answer.splitlines())
    return all(re.search(pattern, said) for pattern in patterns)
