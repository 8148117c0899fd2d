"""WINDOW and WITHIN."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.nodes import (
    BatchWindow,
    Bounds,
    CorrelationWindow,
    CumulateWindow,
    HoppingWindow,
    Instant,
    SessionWindow,
    SlidingWindow,
)
from support.vocabulary import compiled


def test_bounds_are_inclusive_as_the_paper_has_it() -> None:
    def bounds(text: str) -> Bounds:
        return compiled(f"SELECT ?e.sensorID {text}").bounds

    moment = datetime(2012, 5, 7, 7, tzinfo=UTC)
    assert bounds("").lower == Instant(None, timedelta(0), inclusive=False)
    assert bounds("").upper is None
    assert bounds("WITHIN (2012-05-07T09:00+02:00, now]").lower == Instant(moment, timedelta(0), inclusive=True)
    assert bounds("WITHIN (2012-05-07T09:00+02:00, now]").upper == Instant(None, timedelta(0), inclusive=False)
    assert bounds("WITHIN [now-1h, )").lower == Instant(None, -timedelta(hours=1), inclusive=False)


def test_where_batches_start() -> None:
    def start(text: str) -> object:
        [window] = compiled(f"SELECT COUNT(?e) WINDOW (?e, batch, 5min{text})").windows
        assert isinstance(window, BatchWindow)
        return window.start

    assert start("") is None
    assert start(", START FIRST") == "first"
    assert start(", START 2012-05-07") == datetime(2012, 5, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ("sliding, 5min", SlidingWindow),
        ("sliding, 3 events", SlidingWindow),
        ("batch, 1h", BatchWindow),
        ("hopping, 1h, 5min", HoppingWindow),
        ("cumulate, 1h, 5min", CumulateWindow),
        ("session, 30s", SessionWindow),
    ],
)
def test_windows_of_aggregates(window: str, expected: type) -> None:
    [found] = compiled(f"SELECT COUNT(?e) WINDOW (?e, {window})").windows
    assert isinstance(found, expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("WINDOW (?e, sliding, 0s)", "a window of nothing"),
        ("WINDOW (?e, hopping, 1h, 3 events)", "size and step are of different kinds"),
        ("WINDOW (?e, cumulate, 1h, 7min)", "the size is no multiple of the step"),
        ("WINDOW (?e, 5min)", "one event ?e has no extent in time"),
        ("WINDOW (?e, sliding, 5min) WINDOW (?e, sliding, 1h)", "?e has a window already"),
        ("", "COUNT has no window"),
        ("WITHIN (now, now - 1h) WINDOW (?e, sliding, 5min)", "nothing lies within these bounds"),
        ("WITHIN [now, now) WINDOW (?e, sliding, 5min)", "nothing lies within these bounds"),
    ],
)
def test_windows_that_mean_nothing(text: str, message: str) -> None:
    with pytest.raises(QueryTypeError) as caught:
        compiled(f"SELECT COUNT(?e) AS n FROM (?e, airflowReport) {text}")
    assert caught.value.message == message


def test_windows_of_patterns_name_what_is_matched() -> None:
    query = "SELECT ?a.sensorID FROM (?a, airflowReport), (?b, airflowReport), (?n, airflowReport) SEQ (?a, NOT ?n, ?b)"
    [window] = compiled(f"{query} WINDOW (?a, ?b, 5min)").windows
    assert isinstance(window, CorrelationWindow)
    assert (window.variables, window.width) == (("a", "b"), timedelta(minutes=5))
    [named] = compiled(f"{query} WINDOW (?a, ?n, ?b, 5min)").windows
    assert isinstance(named, CorrelationWindow)
    assert (named.variables, named.negated) == (("a", "b"), ("n",))
    for text, message in [
        ("WINDOW (?a, ?b, ?a, 5min)", r"WINDOW names \?a twice"),
        ("WINDOW (?n, 5min)", r"\?n stands under NOT: there is no such event in a WINDOW"),
        ("WINDOW (?a, sliding, 5min)", "this window is for aggregates of one variable"),
    ]:
        with pytest.raises(QueryTypeError, match=message):
            compiled(f"{query} {text}")


def test_a_window_without_aggregates_is_a_warning() -> None:
    [warning] = compiled("SELECT ?e.sensorID WINDOW (?e, sliding, 5min)").warnings
    assert "this window has no effect" in warning
