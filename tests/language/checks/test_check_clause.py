"""What CHECK may say."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.checks import compile_document
from kaicep.language.nodes import CheckWindow, Kind
from support.vocabulary import CAMPUS, compiled


def test_a_check_with_all_its_parts() -> None:
    query = compiled("SELECT COUNT(?e) WINDOW (?e, CHECK (AVG(?e.flowrate) < ?e.flowrate), 5 events, SHARED)")
    (window,) = query.windows
    assert isinstance(window, CheckWindow)
    assert (window.extent, window.shared) == (5, True)
    assert compiled(query.normal.replace(" FROM (?e, airflowReport)", "")).normal == query.normal


def test_a_window_by_condition_is_reported_without_aggregates_too() -> None:
    assert compiled("SELECT ?e.sensorID WINDOW (?e, CHECK (COUNT(?e) <= 3))").kind is Kind.AGGREGATION


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CHECK (?e.flowrate), 1h", "a condition is a boolean, and this is a double"),
        ("CHECK (RUNNING COUNT(?e) < 5), 1h", "RUNNING is for JOIN"),
        ("CHECK (LIST(?e.flowrate) = 5), 1h", "LIST is for SELECT, by itself"),
        ("CHECK (PREV(?e.flowrate) < 5), 1h", "PREV is for JOIN"),
        (
            "CHECK (ADIFF(AVG(?e.flowrate)) < 5), 1h",
            "a change of an aggregate is between reports, and CHECK",
        ),
        ("CHECK (AVG(?e.flowrate) < 5)", "this window could grow without bound"),
        ("CHECK (COUNT(?e) < 5), 0s", "a window of nothing"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(QueryTypeError, match=message.replace("(", r"\(")) as error:
        compiled(f"SELECT COUNT(?e) WINDOW (?e, {text})")
    assert "^" in str(error.value)


def test_a_retention_bounds_a_window_too() -> None:
    text = "SELECT COUNT(?e) WINDOW (?e, CHECK (AVG(?e.flowrate) < 5))"
    (query,) = compile_document(text, CAMPUS, retention=timedelta(hours=1))
    assert query.retention == timedelta(hours=1)
