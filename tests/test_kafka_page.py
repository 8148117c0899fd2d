"""What docs/kafka.md shows is read as it says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from kaicep.config import Settings
from kaicep.settings import KafkaSourceSettings

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "kafka.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def test_its_stream_and_its_options_are_taken() -> None:
    stream, options = map(tomllib.loads, BLOCKS)
    stream["streams"]["reading"]["source"]["kafka"] |= options
    found = Settings.parse(stream).streams["reading"].source
    assert found is not None
    assert found.kafka is not None
    assert (found.kafka.most, found.kafka.options["sasl.username"]) == (100_000, "kaicep")


def test_every_key_stands_in_its_table() -> None:
    rows = "".join(line for line in PAGE.splitlines() if line.startswith("| `"))
    names = {field.alias or name for name, field in KafkaSourceSettings.model_fields.items()}
    assert {name for name in names if f"`{name}`" not in rows} == set()
