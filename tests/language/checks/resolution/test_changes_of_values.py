"""ADIFF, RDIFF and ASLOPE as arithmetic with OLD and NEW."""

from __future__ import annotations

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.nodes import SlidingWindow
from support.vocabulary import compiled


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("ADIFF(?e.flowrate)", "NEW(?e.flowrate) - OLD(?e.flowrate)"),
        ("RDIFF(?e.flowrate)", "(NEW(?e.flowrate) - OLD(?e.flowrate)) / OLD(?e.flowrate)"),
        ("RDIFF(?e.flowrate, -1)", "(NEW(?e.flowrate) - OLD(?e.flowrate)) / (OLD(?e.flowrate) + -1)"),
        ("ADIFF(?e._time)", "(NEW(?e._time) - OLD(?e._time)) / 1s"),
        (
            "ASLOPE(?e.flowrate, ?e._time, 2)",
            "(NEW(?e.flowrate) - OLD(?e.flowrate)) / (((NEW(?e._time) - OLD(?e._time)) / 1s) + 2)",
        ),
    ],
)
def test_how_changes_are_written(text: str, written: str) -> None:
    assert compiled(f"SELECT {text} AS c").normal.startswith(f"SELECT {written} AS c ")


def test_of_an_aggregate_it_is_the_report_before() -> None:
    query = compiled("SELECT ADIFF(COUNT(?e)) AS c WINDOW (?e, batch, 5min)")
    assert query.normal.startswith("SELECT COUNT(?e) - OLD(COUNT(?e)) AS c ")


def test_beside_no_window_two_consecutive_events_are_compared() -> None:
    (window,) = compiled("SELECT OLD(?e.flowrate) AS c").windows
    assert isinstance(window, SlidingWindow)
    assert window.extent == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ADIFF(?e.sensorID) AS c", "ADIFF takes a number, and this is a string"),
        ("RDIFF(?e._time) AS c", "RDIFF takes a number, and this is a dateTime"),
        ("RDIFF(?e.flowrate, ?e.flowrate) AS c", "what RDIFF adds below the line is a number"),
        ("ADIFF(?e.flowrate, 1) AS c", "ADIFF takes 1 argument"),
        ("ASLOPE(?e.flowrate) AS c", "ASLOPE takes 2 or 3 arguments"),
        ("OLD(OLD(?e.flowrate)) AS c", "an aggregate of an aggregate"),
        ("AVG(?e.flowrate) AS v, OLD(?e.flowrate) AS c", "AVG has no window"),
        ("ADIFF(COUNT(?e)) AS c", "COUNT has no window"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(QueryTypeError, match=message):
        compiled(f"SELECT {text}")


def test_of_an_aggregate_over_a_run_there_is_no_report_before() -> None:
    text = "SELECT ADIFF(COUNT(?b)) AS c SEQ (?a, ?b+) WINDOW (?a, ?b, 5min)"
    with pytest.raises(QueryTypeError, match="a change of an aggregate is between reports of a window"):
        compiled(text)
