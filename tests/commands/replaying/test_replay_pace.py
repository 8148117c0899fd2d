"""When events are due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import typer
from kaicep.commands.replaying.replay_pace import ReplayPace, parse_rate, parse_speed

START = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """Goes on while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def sent(
    speed: float | None, *batches: list[float | None], rate: float | None = None, taking: float = 0.0
) -> list[tuple[float, int]]:
    """Seconds after the beginning, and how many events went out then; whoever takes some takes so many seconds."""
    clock = Clock()
    pace = ReplayPace(speed, rate, clock=clock, sleep=clock.sleep)
    found = []
    for batch in batches:
        moments = [None if second is None else START + timedelta(seconds=second) for second in batch]
        for first, end in pace.groups(moments):
            found.append((round(clock.now - 1000, 6), end - first))
            clock.sleep(taking)
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


def test_so_many_a_second_whatever_their_time_stamps_are() -> None:
    assert sent(None, [0, 10**6, 5], [None], rate=2) == [(0, 1), (0.5, 1), (1, 1), (1.5, 1)]
    found = sent(None, [0.0] * 3000, [0.0] * 7000, rate=5000)
    assert sum(count for _, count in found) == 10000
    assert found[-1][0] == pytest.approx(2, abs=0.06)
    for second, count in found:
        assert count <= 5000 * 0.05 + 1, second


def test_what_was_held_up_is_caught_up_with() -> None:
    """Each group costs its taker nearly a tenth of a second, in which more become due than go out together else."""
    found = sent(None, [0.0] * 50000, rate=5000, taking=0.09)
    assert found[-1][0] == pytest.approx(10, abs=0.2)
    assert max(count for _, count in found) <= 1000


@pytest.mark.parametrize(("text", "rate"), [("5000/s", 5000.0), ("0.5/s", 0.5), ("250", 250.0)])
def test_rates(text: str, rate: float) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["fast", "0/s", "-1", "5/min", ""])
def test_what_is_no_rate(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no rate"):
        parse_rate(text)


@pytest.mark.parametrize(("text", "speed"), [("60x", 60.0), ("0.5", 0.5), (".5x", 0.5), ("max", None)])
def test_speeds(text: str, speed: float | None) -> None:
    assert parse_speed(text) == speed


@pytest.mark.parametrize("text", ["fast", "0x", "-1x", ""])
def test_what_is_no_speed(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no speed"):
        parse_speed(text)


def test_nobody_sleeps_for_longer_than_a_system_can() -> None:
    """Events of the year 9999 stand for those that have no end."""
    slept: list[float] = []
    pace = ReplayPace(1.0, clock=lambda: 0.0, sleep=slept.append)
    end = START.replace(year=9999)
    assert list(pace.groups([START, end])) == [(0, 1), (1, 2)]
    assert max(slept) <= timedelta(days=1).total_seconds()
    assert sum(slept) >= (end - START).total_seconds()
