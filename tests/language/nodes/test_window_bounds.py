"""What conditions say of how many events a window has, and how long it is."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.language.nodes import CheckWindow, Expression, SpanBound, bounds_window, count_bound, span_bound
from support.vocabulary import compiled


def condition(text: str) -> Expression:
    """A condition of a window, which an extent bounds anyway."""
    (window,) = compiled(f"SELECT COUNT(?e) WINDOW (?e, CHECK ({text}), 1h)").windows
    assert isinstance(window, CheckWindow)
    return window.condition


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("COUNT(?e) <= 3", 3), ("COUNT(?e) < 3", 2), ("COUNT(?e) = 3", 3), ("3 >= COUNT(?e)", 3), ("3 > COUNT(?e)", 2),
        ("COUNT(?e) < 0", 0), ("COUNT(?e) > 3", None), ("COUNT(?e.flowrate) <= 3", None),
        ("SUM(?e.flowrate) < 3", None),
    ],
)  # fmt: skip
def test_how_many_events(text: str, most: int | None) -> None:
    assert count_bound(condition(text)) == most


@pytest.mark.parametrize(
    ("text", "seconds", "strict"),
    [
        ("?e._time - FIRST(?e._time) <= 5s", 5, False),
        ("?e._time - FIRST(?e._time) < 5s", 5, True),
        ("5s > LAST(?e._time) - FIRST(?e._time)", 5, True),
        ("MAX(?e._time) < MIN(?e._time) + 5s", 5, True),
        ("?e._time - 2s - 3s <= FIRST(?e._time)", 5, False),
        ("FIRST(?e._time) = ?e._time", 0, False),
    ],
)
def test_how_long(text: str, seconds: int, strict: bool) -> None:
    assert span_bound(condition(text)) == SpanBound(timedelta(seconds=seconds), strict)


@pytest.mark.parametrize(
    "text",
    [
        "?e._time - FIRST(?e._time) > 5s",
        "?e._time - FIRST(?e._time, 1) < 5s",
        "?e._time != FIRST(?e._time)",
        "?e.flowrate < 3",
    ],
)
def test_what_bounds_no_time(text: str) -> None:
    assert span_bound(condition(text)) is None


def test_one_part_of_an_and_and_every_side_of_an_or() -> None:
    assert bounds_window(condition("SUM(?e.flowrate) < 3 AND COUNT(?e) < 9"))
    assert bounds_window(condition("COUNT(?e) < 9 OR ?e._time - FIRST(?e._time) < 5s AND ?e.flowrate > 1"))
    assert not bounds_window(condition("COUNT(?e) < 9 OR ?e.flowrate > 1"))
