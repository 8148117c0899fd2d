"""The oracle's calendars, computed by hand: nights in which clocks change, midnight, days that touch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kaicep.language.nodes.context import Calendar, CalendarStretch

from oracle.calendars import EPOCH, holds, stretch

WEEK = tuple(range(7))


def daily(begin: str, end: str, zone: str = "Europe/Rome", days: tuple[int, ...] = WEEK) -> Calendar:
    """One stretch; to at or before from is on the next day."""
    minutes = [int(t[:2]) * 60 + int(t[3:]) for t in (begin, end)]
    return Calendar((CalendarStretch(days, minutes[0], minutes[1] + 1440 * (minutes[1] <= minutes[0])),), zone)


def around(calendar: Calendar, at: str) -> tuple[str | None, str | None]:
    """The stretch around a moment, as texts of UTC."""
    moment = datetime.fromisoformat(at).replace(tzinfo=UTC)
    found = stretch(calendar, (moment - EPOCH) // timedelta(microseconds=1))
    first, last = (None if t is None else f"{EPOCH + timedelta(microseconds=t):%m-%d %H:%M}" for t in found)
    return first, last


def is_held(calendar: Calendar, at: str) -> bool:
    """Whether the calendar holds then."""
    return holds(calendar, (datetime.fromisoformat(at).replace(tzinfo=UTC) - EPOCH) // timedelta(minutes=1))


def test_a_stretch_is_from_and_up_to_a_time_on_the_wall() -> None:
    assert around(daily("08:00", "18:00"), "2024-01-03T12:00") == ("01-03 07:00", "01-03 17:00")
    assert is_held(daily("08:00", "18:00"), "2024-01-03T07:00")
    assert not is_held(daily("08:00", "18:00"), "2024-01-03T17:00")


def test_a_time_that_the_clock_leaves_out_counts_from_the_next() -> None:
    assert around(daily("02:30", "05:00"), "2024-03-31T02:00") == ("03-31 01:00", "03-31 03:00")
    assert around(daily("01:00", "02:30"), "2024-03-31T00:30") == ("03-31 00:00", "03-31 01:00")
    assert not any(is_held(daily("02:15", "02:45"), f"2024-03-31T00:{m:02}") for m in range(60))
    assert not any(is_held(daily("02:15", "02:45"), f"2024-03-31T01:{m:02}") for m in range(60))


def test_a_time_that_comes_twice_holds_twice() -> None:
    twice = daily("02:15", "02:45")
    assert around(twice, "2024-10-27T00:30") == ("10-27 00:15", "10-27 00:45")
    assert around(twice, "2024-10-27T01:30") == ("10-27 01:15", "10-27 01:45")
    assert around(daily("01:00", "02:30"), "2024-10-27T01:10") == ("10-27 01:00", "10-27 01:30")


def test_to_at_or_before_from_is_the_next_day() -> None:
    assert around(daily("22:00", "06:00", "UTC", (4,)), "2024-01-06T03:00") == ("01-05 22:00", "01-06 06:00")
    assert not is_held(daily("22:00", "06:00", "UTC", (4,)), "2024-01-05T03:00")


def test_stretches_that_touch_are_one() -> None:
    weekend = daily("00:00", "24:00", "UTC", (5, 6))
    assert around(weekend, "2024-01-06T03:00") == ("01-06 00:00", "01-08 00:00")
    assert around(daily("00:00", "24:00", "UTC"), "2024-01-06T03:00") == (None, None)
    assert around(daily("10:00", "10:00", "UTC"), "2024-01-06T03:00") == (None, None)


def test_what_lies_between_is_found_as_well() -> None:
    assert around(daily("08:00", "18:00", "UTC", (0,)), "2024-01-03T12:00") == ("01-01 18:00", "01-08 08:00")
