"""`docs/architecture.md` has every stage and every room."""

from __future__ import annotations

import re
from pathlib import Path

import kaicep
import pytest
from support.structure import Structure, figures

ROOT = Path(kaicep.__file__).resolve().parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def packages() -> set[str]:
    """Every folder of the product that holds a face."""
    skipped = {"tests", "benchmarks", "examples"}
    faces = (path.parent.relative_to(ROOT) for path in ROOT.rglob("__init__.py"))
    return {str(f) for f in faces if f.parts and f.parts[0] not in skipped and not f.parts[0].startswith(".")}


def test_every_room_stands_on_the_page() -> None:
    named = set(re.findall(r"`([a-z][a-z/_]*)/`", PAGE))
    assert packages() - named == set()
    assert {name for name in named if not (ROOT / name).is_dir()} == set()


def test_the_figures_are_those_that_the_code_gives() -> None:
    """Sizes may have moved on a little since the table was printed."""
    table = PAGE.partition("## The figures of the structure")[2]
    kept = {
        what: int(count.replace(",", ""))
        for what, count in re.findall(r"^\| (\w[^|]*) \| ([\d,]+) \|$", table, re.MULTILINE)
    }
    found = Structure()
    assert {what: kept.pop(what) for what, _ in figures(found)} == dict(figures(found))
    assert kept == pytest.approx({"product files": len(found.files), "lines": found.lines}, rel=0.05)
