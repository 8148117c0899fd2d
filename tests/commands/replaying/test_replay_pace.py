"""When events are due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import typer
from kaicep.commands.replaying.replay_pace import ReplayPace, parse_speed

START = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """Goes on while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def sent(speed: float | None, *batches: list[float | None]) -> list[tuple[float, int]]:
    """Seconds after the beginning, and how many events went out then."""
    clock = Clock()
    pace = ReplayPace(speed, clock, clock.sleep)
    found = []
    for batch in batches:
        moments = [None if second is None else START + timedelta(seconds=second) for second in batch]
        found += [(round(clock.now - 1000, 6), end - first) for first, end in pace.groups(moments)]
    return found


def test_events_go_out_as_far_apart_as_they_were() -> None:
    assert sent(1, [0, 10, 10, 30], [31]) == [(0, 1), (10, 2), (30, 1), (31, 1)]
    assert sent(60, [0, 60, 120]) == [(0, 1), (1, 1), (2, 1)]
    assert sent(0.5, [0, 1]) == [(0, 1), (2, 1)]


def test_what_is_due_almost_together_goes_out_together() -> None:
    assert sent(1, [0, 0.01, 0.04, 0.2]) == [(0, 3), (0.2, 1)]


def test_what_comes_late_or_has_no_time_stamp_is_due_at_once() -> None:
    assert sent(1, [10, 20, 5, None, 30]) == [(0, 1), (10, 3), (20, 1)]


def test_as_fast_as_they_are_taken() -> None:
    assert sent(None, [0.0] * 2500, [10**6]) == [(0, 1000), (0, 1000), (0, 500), (0, 1)]


@pytest.mark.parametrize(("text", "speed"), [("60x", 60.0), ("0.5", 0.5), (".5x", 0.5), ("max", None)])
def test_speeds(text: str, speed: float | None) -> None:
    assert parse_speed(text) == speed


@pytest.mark.parametrize("text", ["fast", "0x", "-1x", ""])
def test_what_is_no_speed(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no speed"):
        parse_speed(text)
