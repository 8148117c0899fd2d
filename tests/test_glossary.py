"""`docs/glossary.md` says of every file of the product what its idea is, and whose word names it."""

from __future__ import annotations

import re
from pathlib import Path

import kaicep
import pytest

ROOT = Path(kaicep.__file__).resolve().parent
PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
STAGES = dict(re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def rows(table: str) -> list[list[str]]:
    """The cells of a table's rows, without its head."""
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in lines[1:]]


def stages() -> list[str]:
    folders = (path for path in ROOT.iterdir() if (path / "__init__.py").is_file())
    return sorted(f.name for f in folders if f.name not in {"tests", "benchmarks", "examples"})


@pytest.mark.parametrize("stage", stages())
def test_every_file_has_its_idea(stage: str) -> None:
    files = {path.stem for path in (ROOT / stage).rglob("*.py") if path.name != "__init__.py"}
    named = [stem for row in rows(STAGES[stage]) for stem in re.findall(r"`(\w+)`", row[0])]
    assert sorted(files - set(named)) == [], "say what its idea is, and where the word is from"
    assert sorted(set(named) - files) == [], "there is no such file any more"
    assert len(named) == len(set(named))


def test_every_word_has_a_meaning_and_a_source() -> None:
    words = PAGE.partition("## Words")[2].partition("## Files")[0]
    for row in [*rows(words), *(row for table in STAGES.values() for row in rows(table))]:
        assert len(row) == 3, row
        assert all(row), row


def test_no_word_is_explained_twice() -> None:
    words = [row[0] for row in rows(PAGE.partition("## Words")[2].partition("## Files")[0])]
    assert len(words) == len(set(words)) > 50
