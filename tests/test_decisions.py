"""The index of the decision records names each by its number and title."""

from __future__ import annotations

import re
from pathlib import Path

DECISIONS = Path(__file__).resolve().parent.parent / "docs" / "decisions"
ENTRY = re.compile(r"^- \[(\d{3})\]\((\1-[a-z0-9-]+\.md)\) (.+)$", re.MULTILINE)


def test_the_index_calls_records_by_their_titles() -> None:
    entries = ENTRY.findall((DECISIONS / "README.md").read_text(encoding="utf-8"))
    assert len({file for _, file, _ in entries}) == len(entries) >= 31
    for number, file, title in entries:
        assert (DECISIONS / file).read_text(encoding="utf-8").partition("\n")[0] == f"# {number} {title}"
