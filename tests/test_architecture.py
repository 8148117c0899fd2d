"""`docs/architecture.md` has every stage and every room."""

from __future__ import annotations

import re
from pathlib import Path

import kaicep

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
