"""What a window by condition holds of an event, as far as the event alone says it."""

from __future__ import annotations

import pytest
from kaicep.explain.reasons import Reason
from support.letters import project, stream


def told(window: str, letters: str) -> Reason:
    """The reason for the first of some letters."""
    (event,) = stream(letters)["letters"]
    text = f"SELECT COUNT(?e) AS n FROM (?e, letters) {window} GROUP BY ?e.kind"
    (candidacy,) = project().why(text, event).candidacies
    assert candidacy.holds, "a candidate it is in any case"
    (reason,) = candidacy.clauses
    return reason


def test_an_event_that_makes_it_true_is_reported_whatever_was_before() -> None:
    window = "WINDOW (?e, CHECK (COUNT(?e) <= 3 AND FIRST(?e.kind) = ?e.kind), 1h, SHARED)"
    reason = told(window, "a3")
    assert (reason.text, reason.holds) == (window, True)
    assert reason.note.startswith("alone it makes the condition true")
    assert [(part.text, part.holds) for part in reason.parts] == [
        ("COUNT(?e) <= 3", True),
        ("FIRST(?e.kind) = ?e.kind", True),
    ]
    rows = project().evaluate(f"SELECT COUNT(?e) AS n FROM (?e, letters) {window}", stream("a3"))
    assert [row["n"] for row in rows] == [1]


@pytest.mark.parametrize(
    ("condition", "note"),
    [
        ("SUM(?e.x) <= 2", "SUM(?e.x) is 3, 1 above"),
        ("COUNT(?e) = 2", "1 below"),
        ("LAST(?e.x, 1) > 1", "LAST(?e.x, 1) is unbound"),
        ("ADIFF(?e.x) < 1", "ADIFF(?e.x) is unbound"),
        ("MAX(?e.group) = 'g'", "MAX(?e.group) is unbound"),
    ],
)
def test_of_one_that_does_not_the_part_is_told_that_is_false(condition: str, note: str) -> None:
    """Those before it may make it true; alone it has no row."""
    window = f"WINDOW (?e, CHECK ({condition}), 1h)"
    reason = told(window, "a3")
    assert reason.note.startswith("alone it makes the condition false")
    (part,) = reason.parts
    assert (part.text, part.holds, part.note) == (condition, False, note)
    assert not project().evaluate(f"SELECT COUNT(?e) AS n FROM (?e, letters) {window}", stream("a3"))


def test_what_is_no_candidate_has_no_window() -> None:
    (event,) = stream("a3")["letters"]
    text = "SELECT COUNT(?e) AS n FROM (?e, letters) FILTER (?e.x > 5) WINDOW (?e, CHECK (COUNT(?e) < 3))"
    (candidacy,) = project().why(text, event).candidacies
    assert not candidacy.holds
    assert [clause.text for clause in candidacy.clauses] == ["FILTER (?e.x > 5)"]
