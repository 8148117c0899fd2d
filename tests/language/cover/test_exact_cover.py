"""Where a query that asks less takes other events."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project
from kaicep.language.cover import NoCover, cover_of, takes_what_there_is
from support.cover_pairs import content

SEQ = "SELECT COUNT(?a) AS n FROM (?a, S), (?b, S), (?n, S) FILTER (?b.v > 1) {} SEQ ({}) WINDOW (?a, ?b, 9s)"
WINDOW = "SELECT COUNT(?a) AS n FROM (?a, S) {} WINDOW (?a, {})"


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        (SEQ.format("", "?a, NOT ?n, ?b"), False),
        (SEQ.format("", "?a -> ?b, ?n").replace("(?a, ?b, 9s", "(?a, ?b, ?n, 9s"), True),
        (SEQ.format("", "?a+, NOT ?n, ?b"), True),
        (WINDOW.format("", "sliding, 9s"), False),
        (WINDOW.format("", "sliding, 9 events"), True),
        (WINDOW.format("", "batch, 9s"), True),
    ],
)
def test_what_is_taken_may_depend_on_all_that_there_is(text: str, taken: bool, tmp_path: Path) -> None:
    assert takes_what_there_is(Project.parse(content(tmp_path)).compile(text)[0]) is taken


@pytest.mark.parametrize(
    ("wide", "narrow", "reason"),
    [
        (SEQ.format("", "?a, NOT ?n, ?b"), SEQ.format("FILTER (?a.v > 1)", "?a, NOT ?n, ?b"), None),
        (SEQ.format("", "?a, NOT ?n, ?b"), SEQ.format("FILTER (?n.v > 1)", "?a, NOT ?n, ?b"), "asks less of ?n"),
        (SEQ.format("", "?a, NOT ?n, ?b"), SEQ.format("JOIN (?n.g = ?a.g)", "?a, NOT ?n, ?b"), "does not ask JOIN"),
        (SEQ.format("", "?a+, NOT ?n, ?b"), SEQ.format("FILTER (?a.v > 1)", "?a+, NOT ?n, ?b"), "asks less of ?a"),
        (WINDOW.format("", "batch, 9s"), WINDOW.format("", "batch, 9s"), None),
        (WINDOW.format("", "batch, 9s"), WINDOW.format("FILTER (?a.v > 1)", "batch, 9s"), "asks less of ?a"),
        (WINDOW.format("", "sliding, 9s"), WINDOW.format("FILTER (?a.v > 1)", "sliding, 9s"), None),
        (WINDOW.format("", "batch, 9s"), WINDOW.format("", "batch, 3s"), "window of ?a is another one"),
    ],
)
def test_it_has_to_ask_as_much(wide: str, narrow: str, reason: str | None, tmp_path: Path) -> None:
    project = Project.parse(content(tmp_path))
    one, other = (project.compile(text)[0] for text in (wide, narrow))
    found = cover_of(one, other, project.knowledge)
    assert isinstance(found, NoCover) is (reason is not None)
    assert (reason or "") in str(found)
