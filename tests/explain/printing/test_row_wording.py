"""What is printed of a row: its windows, and who opened each."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from kaicep.explain import row_dict, row_lines
from kaicep.explain.rows import KnownRow, LyingWindow, Opener, OpenerKind, RowExplanation

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ROW = KnownRow("ends", BEGIN, "ab", {"e": ("urn:e",)}, ("open",))


@pytest.mark.parametrize(
    ("opener", "line"),
    [
        (Opener(OpenerKind.ROW, ROW), "opened by row ab of ends at 2026-01-01T00:00:00Z"),
        (Opener(OpenerKind.CALENDAR), "by its calendar"),
        (
            Opener(OpenerKind.DEFAULT, ROW),
            "the default: no other held; since row ab of ends at 2026-01-01T00:00:00Z ended the last other",
        ),
        (Opener(OpenerKind.DEFAULT, note="always"), "the default: no other held; always"),
        (Opener(OpenerKind.UNKNOWN, note="a rule did"), "it is not known which row opened it: a rule did"),
    ],
)
def test_a_window_says_who_opened_it(opener: Opener, line: str) -> None:
    window = LyingWindow("room", "vacant", {"room": "r1"}, None, BEGIN, {"v": 1}, opener)
    told = RowExplanation("q", "cd", BEGIN, {"e": ("urn:e",)}, (window,))
    lines = list(row_lines(told))
    assert lines[2:6] == [
        "  in vacant of room, partition of room = r1",
        "    from the beginning, until 2026-01-01T00:00:00Z",
        "    with v = 1",
        f"    {line}",
    ]
    assert lines[6:] == ([] if opener.row is None else ["      of ?e urn:e", "      in open: `kaicep why ab`"])
    assert row_dict(told)["contexts"][0]["opener"]["kind"] == opener.kind.value
