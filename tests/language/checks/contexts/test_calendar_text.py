"""Texts of calendars: days of the week, and a stretch of time on each."""

from __future__ import annotations

import pytest
from kaicep.language.checks.query_compiler import checked_document
from kaicep.language.nodes import Calendar, CalendarStretch
from support.roads import ROADS

EVERY_DAY = tuple(range(7))


def calendar(texts: str) -> Calendar:
    """Of a context that holds by these texts."""
    found = checked_document(f"CREATE CONTEXTS r (a DEFAULT, b DURING {texts})", ROADS).sets[0].contexts[1].calendar
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "days", "begin", "end"),
    [
        ("08:00-18:00", EVERY_DAY, 480, 1080),
        ("Mon-Fri 08:00-18:00", (0, 1, 2, 3, 4), 480, 1080),
        ("sat,SUN 00:00-24:00", (5, 6), 0, 1440),
        ("Fri-Mon 22:30-06:00", (0, 4, 5, 6), 1350, 1800),
        ("Tue 08:00-08:00", (1,), 480, 1920),
        (" Wed , Thu-Thu  12:00 - 12:01 ", (2, 3), 720, 721),
        ("Mon-Sun 12:00-00:00", EVERY_DAY, 720, 1440),
    ],
)
def test_a_text_is_days_and_a_stretch(text: str, days: tuple[int, ...], begin: int, end: int) -> None:
    """What ends at or before the time at which it begins ends on the next day."""
    assert calendar(f"'{text}'") == Calendar((CalendarStretch(days, begin, end),), "UTC")


def test_a_calendar_has_several_texts_and_one_zone() -> None:
    found = calendar("'Mon 08:00-09:00', 'Tue 09:00-10:00' TIMEZONE 'America/Los_Angeles'")
    assert [stretch.days for stretch in found.stretches] == [(0,), (1,)]
    assert found.zone == "America/Los_Angeles"
