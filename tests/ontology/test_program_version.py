"""The version of the program that closes modules."""

from __future__ import annotations

from pathlib import Path

import kaicep.ontology.program_version as module
import pytest
from kaicep.ontology.program_version import program_version


@pytest.fixture(autouse=True)
def _afresh() -> None:
    program_version.cache_clear()


def test_it_changes_with_every_file_and_every_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rules.py").write_text("one")
    found = set()
    monkeypatch.setattr(module, "_OWN", tmp_path)
    for text, number in (("one", "1"), ("one", "2"), ("two", "1")):
        program_version.cache_clear()
        (tmp_path / "rules.py").write_text(text)
        monkeypatch.setattr(module, "version", lambda _, number=number: number)
        found.add(program_version())
    program_version.cache_clear()
    assert len(found) == 3


def test_it_is_the_same_every_time() -> None:
    first = program_version()
    program_version.cache_clear()
    assert program_version() == first
