"""`docs/changing.md` names files that exist, and few of them for each ordinary change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "changing.md").read_text(encoding="utf-8")
ORDINARY, _, REST = PAGE.partition("## Changes of the language")
OF_THE_LANGUAGE, _, IN_VAIN = REST.partition("## Where one looks in vain first")
NAMED = re.compile(r"`([\w./-]+\.[a-z]+|Makefile)`")


def rows(text: str) -> list[list[str]]:
    """The cells of a table's rows."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines[1:]]


@pytest.mark.parametrize("row", [*rows(ORDINARY), *rows(OF_THE_LANGUAGE), *rows(IN_VAIN)], ids=lambda row: row[0])
def test_the_files_of_a_change_exist(row: list[str]) -> None:
    named = [file for cell in row[1:] for file in NAMED.findall(cell)]
    assert named
    assert [file for file in named if not (ROOT / file).exists()] == []


@pytest.mark.parametrize("row", rows(ORDINARY), ids=lambda row: row[0])
def test_an_ordinary_change_touches_few_files(row: list[str]) -> None:
    assert len(NAMED.findall(row[1])) <= 4


def test_there_are_at_least_twenty_changes() -> None:
    assert len(rows(ORDINARY)) + len(rows(OF_THE_LANGUAGE)) >= 20
