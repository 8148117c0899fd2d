"""docs/mistakes.md is right: every mistake is made, and kaicep says what stands there."""

from __future__ import annotations

import difflib
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.command_line import call

TEXT = (Path(__file__).resolve().parent.parent / "docs" / "mistakes.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {"toml": "kaicep.toml", "turtle": "building.ttl", "csv": "readings.csv", "chi": "query.chi"}
FOLDER = "/home/me/office"


@dataclass(frozen=True)
class Mistake:
    """A heading, what is different, the command, and what it says on the standard error."""

    title: str
    files: dict[str, str]
    command: str
    said: str


def mistakes() -> list[Mistake]:
    found = []
    for section in re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]:
        blocks = dict(BLOCK.findall(section))
        command, said = blocks.pop("sh"), blocks.pop("output")
        found.append(Mistake(section.partition("\n")[0], blocks, command, said))
    return found


BASE: dict[str, str] = dict(BLOCK.findall(TEXT.partition("\n## ")[0]))


def test_there_are_mistakes_of_every_kind() -> None:
    assert BASE.keys() == FILES.keys()
    assert len(mistakes()) >= 49
    assert {kind for mistake in mistakes() for kind in mistake.files} == FILES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("mistake", mistakes(), ids=lambda mistake: mistake.title)
def test_a_mistake_gets_the_answer_that_stands_below_it(
    mistake: Mistake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "incoming").mkdir()
    for kind, name in FILES.items():
        (tmp_path / name).write_text(changed(kind, mistake.files), encoding="utf-8")
    program, *arguments = shlex.split(mistake.command)
    assert program == "kaicep"
    said = call(*arguments).stderr.replace(str(tmp_path), FOLDER)
    assert [line.rstrip() for line in said.rstrip().splitlines()] == mistake.said.splitlines()


def changed(kind: str, files: dict[str, str]) -> str:
    """A file with its mistake: of the project file a line is another, to the model something is added."""
    if kind not in files:
        return BASE[kind]
    if kind == "toml":
        return with_line(BASE[kind], files[kind])
    return BASE[kind] + files[kind] if kind == "turtle" else files[kind]


def with_line(text: str, line: str) -> str:
    """Put a line in the place of the one whose key is most like its own."""
    lines = text.splitlines(keepends=True)
    keys = {line.partition(" = ")[0]: place for place, line in enumerate(lines) if " = " in line}
    (key,) = difflib.get_close_matches(line.partition(" = ")[0], keys, n=1)
    lines[keys[key]] = line
    return "".join(lines)
