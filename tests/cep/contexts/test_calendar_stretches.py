"""When calendars hold, on the wall of their zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import process_time
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st
from kaicep.cep.contexts.calendar_stretches import stretches_between
from kaicep.cep.partitions import NO_END, NO_START
from kaicep.expressions import FIRST_MOMENT, LAST_MOMENT
from kaicep.language.nodes import Calendar, CalendarStretch

MINUTE = 60_000_000
ZONES = ("UTC", "Europe/Rome", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca")
NIGHTS = ("2024-03-31T01:00:00", "2024-10-27T01:00:00", "2011-12-30T10:00:00", "2024-01-01T00:00:00")
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


def holds(calendar: Calendar, minute: int) -> bool:
    """Whether the clock on the wall shows a time of the calendar."""
    wall = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)).astimezone(ZoneInfo(calendar.zone))
    shown = wall.hour * 60 + wall.minute
    return any(
        (wall.weekday() - back) % 7 in stretch.days and stretch.begin <= shown + back * 1440 < stretch.end
        for stretch in calendar.stretches
        for back in (0, 1)
    )


stretches = st.builds(
    lambda days, begin, length: CalendarStretch(tuple(sorted(days)), begin, begin + length),
    st.sets(st.integers(0, 6), min_size=1),
    st.sampled_from([0, 60, 90, 120, 135, 480, 1380, 1439]),
    st.sampled_from([15, 30, 60, 720, 1440]),
)
calendars = st.builds(Calendar, st.lists(stretches, min_size=1, max_size=3).map(tuple), st.sampled_from(ZONES))


@given(st.lists(calendars, min_size=1, max_size=2), st.sampled_from(NIGHTS), st.integers(-3000, 3000))
def test_stretches_are_when_the_clock_on_the_wall_shows_their_times(
    own: list[Calendar], night: str, after: int
) -> None:
    """Every minute, also when clocks are moved or a day is left out; and every border is one."""
    minute = moment(night) // MINUTE + after
    found = stretches_between(own, minute * MINUTE, (minute + 300) * MINUTE)
    for at in range(minute, minute + 300, 7):
        assert any(a <= at * MINUTE < b for a, b in found) == any(holds(calendar, at) for calendar in own)
    for begin, end in found:
        inside, outside = [], []
        if begin > NO_START:
            inside, outside = [begin // MINUTE], [begin // MINUTE - 1]
        if end < NO_END:
            inside, outside = [*inside, end // MINUTE - 1], [*outside, end // MINUTE]
        assert all(any(holds(calendar, at) for calendar in own) for at in inside)
        assert not any(holds(calendar, at) for calendar in own for at in outside)


def test_the_ends_of_the_calendar_are_no_limit() -> None:
    """The years 1 and 9999, and what lies beyond."""
    always = Calendar((CalendarStretch(tuple(range(7)), 0, 1440),), "Asia/Tokyo")
    for at in (NO_START, FIRST_MOMENT, LAST_MOMENT, NO_END):
        assert stretches_between([always], at, at) == [(NO_START, NO_END)]
        for begin, end in stretches_between([OFFICE], at, at):
            assert FIRST_MOMENT <= begin < end <= LAST_MOMENT
    last = moment("9999-12-31T10:00:00")
    assert any(begin <= last < end for begin, end in stretches_between([OFFICE], last, last))


def test_a_long_time_is_gone_through_at_once() -> None:
    begin = process_time()
    found = stretches_between([OFFICE], moment("1970-01-05T00:00:00"), moment("2024-01-05T00:00:00"))
    assert len(found) > 54 * 260
    assert process_time() - begin < 10
