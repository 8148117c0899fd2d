"""When calendars hold, on the wall of their zone."""

from __future__ import annotations

from datetime import datetime

from kaicep.cep.contexts.calendar_stretches import stretches_between
from kaicep.cep.partitions import NO_END, NO_START
from kaicep.language.nodes import Calendar, CalendarStretch

OFFICE = Calendar((CalendarStretch((0, 1, 2, 3, 4), 8 * 60, 18 * 60),), "Europe/Rome")


def moment(text: str) -> int:
    """Microseconds of a moment in UTC."""
    return int(datetime.fromisoformat(text + "+00:00").timestamp()) * 1_000_000


def test_hours_are_those_of_the_zone() -> None:
    friday = moment("2024-03-29T12:00:00")
    found = stretches_between([OFFICE], friday, friday)
    assert (moment("2024-03-29T07:00:00"), moment("2024-03-29T17:00:00")) in found
    assert (moment("2024-04-01T06:00:00"), moment("2024-04-01T16:00:00")) in found, "clocks have gone forward"


def test_a_time_that_the_clock_leaves_out_counts_from_the_next() -> None:
    night = Calendar((CalendarStretch((6,), 150, 210),), "Europe/Rome")  # Sunday 02:30 to 03:30
    found = stretches_between([night], moment("2024-03-31T01:00:00"), moment("2024-03-31T01:00:00"))
    assert (moment("2024-03-31T01:00:00"), moment("2024-03-31T01:30:00")) in found


def test_touching_stretches_are_one_and_what_always_holds_has_no_end() -> None:
    always = Calendar((CalendarStretch(tuple(range(7)), 0, 1440),), "UTC")
    assert stretches_between([always], 0, 0) == [(NO_START, NO_END)]
    halves = Calendar((CalendarStretch((3,), 0, 60), CalendarStretch((3,), 60, 120)), "UTC")
    assert (0, 7_200_000_000) in stretches_between([halves], 0, 0)
