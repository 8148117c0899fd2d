"""Windows bound what a query remembers; where they do not, the caller has to."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.checks import compile_document
from support.vocabulary import CAMPUS, compiled


def test_retention_bounds_what_no_window_does() -> None:
    text = "SELECT ?a.sensorID SEQ (?a, ?b)"
    with pytest.raises(QueryTypeError, match="without bound"):
        compile_document(text, CAMPUS)
    [query] = compile_document(text, CAMPUS, retention=timedelta(hours=1))
    assert query.retention == timedelta(hours=1)


def test_retention_shortens_no_window() -> None:
    text = "SELECT ?a.sensorID SEQ (?a, ?b) WINDOW (?a, ?b, 2h)"
    [query] = compile_document(text, CAMPUS, retention=timedelta(hours=1))
    assert query.retention is None


@pytest.mark.parametrize(
    ("pattern", "windows", "expected"),
    [
        ("SEQ (?a, ?b, ?c)", "", False),
        ("SEQ (?a, ?b, ?c)", "WINDOW (?a, ?b, ?c, 5min)", True),
        ("SEQ (?a, ?b, ?c)", "WINDOW (?a, ?b, 5min) WINDOW (?b, ?c, 5min)", True),
        ("SEQ (?a, ?b, ?c)", "WINDOW (?a, ?b, 5min)", False),
        ("SEQ (?a, NOT ?b, ?c)", "WINDOW (?a, ?c, 5min)", True),
        ("JOIN (?a.sensorID = ?b.sensorID)", "WINDOW (?a, sliding, 5min) WINDOW (?b, sliding, 1h)", False),
        (
            "JOIN (?a.sensorID = ?b.sensorID)",
            "WINDOW (?a, sliding, 5min) WINDOW (?b, sliding, 1h) WINDOW (?c, sliding, 3 events)",
            True,
        ),
        ("SEQ (?a, ?b?, ?c)", "WINDOW (?a, ?b, 5min) WINDOW (?a, ?c, 5min)", True),
        ("SEQ (?a, ?b?)", "WINDOW (?a, ?b, 5min) WINDOW (?b, ?c, 5min)", False),
    ],
    ids=[
        "no window",
        "one window",
        "a chain of windows",
        "one variable is loose",
        "NOT binds nothing",
        "one variable beside sliding windows",
        "all are tied to the present",
        "an optional one in SEQ",
        "tied to what may be left out",
    ],
)
def test_windows_tie_all_variables_together(pattern: str, windows: str, expected: bool) -> None:
    text = f"SELECT ?a.sensorID FROM (?a, airflowReport), (?b, airflowReport), (?c, airflowReport) {pattern} {windows}"
    [query] = compile_document(text, CAMPUS, retention=timedelta(hours=1))
    assert (query.retention is None) is expected


def test_a_repetition_needs_a_window_of_its_own() -> None:
    text = "SELECT COUNT(?a) AS n FROM (?a, airflowReport) SEQ (?a+)"
    with pytest.raises(QueryTypeError, match="without bound"):
        compiled(text)
    assert compiled(f"{text} WINDOW (?a, 5min)").retention is None
    assert compiled("SELECT ?a.sensorID FROM (?a, airflowReport) SEQ (?a)").retention is None
