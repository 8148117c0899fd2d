"""What docs/mqtt.md shows is read as it says, and is what the example has."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from kaicep import Project
from kaicep.config import Settings
from kaicep.settings.mqtt import MqttSourceSettings

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "mqtt.md").read_text(encoding="utf-8")
HOME = ROOT / "examples" / "smart_home"
TOML = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
QUERY = re.findall(r"```\n(SELECT.*?)```", PAGE, re.DOTALL)


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
