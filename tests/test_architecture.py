"""`docs/architecture.md` has every stage and every room."""

from __future__ import annotations

import re
from pathlib import Path

import kaicep
import pytest
from support.structure import figures, product

ROOT = Path(kaicep.__file__).resolve().parent
pytestmark = pytest.mark.xdist_group("structure")

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def packages() -> set[str]:
    """Every folder of the product that holds a face."""
    faces = [file.path.parent.relative_to(ROOT) for file in product().files.values() if file.stem == "__init__"]
    return {str(face) for face in faces if face.parts}


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
    found = product()
    assert {what: kept.pop(what) for what, _ in figures(found)} == dict(figures(found))
    assert kept == pytest.approx({"product files": len(found.files), "lines": found.lines}, rel=0.05)
