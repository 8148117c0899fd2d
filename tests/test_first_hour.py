"""The page of the first hour: its commands are run on its files, one after the other, and give what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from support.command_line import call

PAGE = Path(__file__).resolve().parent.parent / "docs" / "first-hour.md"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
FILES = {"turtle": "building.ttl", "csv": "readings.csv"}


@pytest.mark.slow
def test_the_commands_of_the_page_give_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line that is shown is printed, as the beginning of a line."""
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    for kind, text in blocks:
        if kind in FILES:
            (tmp_path / FILES[kind]).write_text(text, encoding="utf-8")
    commands = [(place, text) for place, (kind, text) in enumerate(blocks) if kind == "sh"]
    assert len(commands) >= 6
    for place, text in commands:
        program, *arguments = shlex.split(text)
        assert program == "kaicep"
        result = call(*arguments)
        assert result.exit_code == 0, result.output
        kind, expected = blocks[place + 1]
        assert kind == "output"
        printed = [line.strip() for line in (result.stdout + result.stderr).splitlines()]
        for line in expected.splitlines():
            assert any(line in other for other in printed), f"{line!r} is not in:\n{result.output}"
        if arguments[0] == "try":
            assert len(result.stdout.splitlines()) == len(expected.splitlines())
