"""What the texts of a calendar context mean: days of the week, and a stretch of time on each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from zoneinfo import ZoneInfo, available_timezones

from ....errors import did_you_mean
from ... import syntax_tree as syntax
from ...name_lookup import Names
from ...nodes import MINUTES_A_DAY, WEEK, Calendar, CalendarStretch
from ...source_text import listed

_STRETCH = re.compile(r"\s*(?:(?P<days>[A-Za-z][A-Za-z,\s-]*?)\s+)?(?P<begin>\d\d:\d\d)\s*-\s*(?P<end>\d\d:\d\d)\s*")
_EXAMPLE = "write days, then a stretch of time: 'Mon-Fri 08:00-18:00'"


def resolve_calendar(names: Names, texts: Sequence[syntax.CalendarText]) -> Calendar:
    """The calendar that its texts describe.

    Raises:
        QueryTypeError: a text says no days and times, or nobody knows the zone.

    Source: LANGUAGE-2 §6.
    """
    return Calendar(tuple(_stretch(names, text) for text in texts), _zone(names, texts[-1].zone))


def _stretch(names: Names, node: syntax.CalendarText) -> CalendarStretch:
    found = _STRETCH.fullmatch(node.text)
    if found is None:
        raise names.source.type_error(node.span, f"'{node.text}' is no stretch of days and times", _EXAMPLE)
    begin, end = _minutes(names, node, found["begin"]), _minutes(names, node, found["end"])
    if begin == MINUTES_A_DAY:
        raise names.source.type_error(node.span, "no day has a time at which 24:00 begins", "begin at 00:00")
    days = range(len(WEEK)) if found["days"] is None else _days(names, node, found["days"])
    return CalendarStretch(tuple(days), begin, end if end > begin else end + MINUTES_A_DAY)


def _minutes(names: Names, node: syntax.CalendarText, time: str) -> int:
    hour, minute = (int(part) for part in time.split(":"))
    if minute > 59 or hour * 60 + minute > MINUTES_A_DAY:
        raise names.source.type_error(node.span, f"no day has a time {time}", "the times are 00:00 to 24:00")
    return hour * 60 + minute


def _days(names: Names, node: syntax.CalendarText, text: str) -> list[int]:
    """The days of `Mon-Wed,Sat`, ascending; `Sat-Mon` goes over the end of the week."""
    found: set[int] = set()
    for part in text.split(","):
        first, *rest = (_day(names, node, day.strip()) for day in part.split("-", 1))
        last = rest[0] if rest else first
        found |= {(first + i) % len(WEEK) for i in range((last - first) % len(WEEK) + 1)}
    return sorted(found)


def _day(names: Names, node: syntax.CalendarText, day: str) -> int:
    if day.capitalize() not in WEEK:
        hint = did_you_mean(day.capitalize(), list(WEEK)) or f"the days are {listed(list(WEEK), 'and')}"
        raise names.source.type_error(node.span, f"'{day}' is no day of the week", hint)
    return WEEK.index(day.capitalize())


def _zone(names: Names, node: syntax.Name | None) -> str:
    if node is None:
        return "UTC"
    known = available_timezones()
    if node.text not in known:
        hint = did_you_mean(node.text, sorted(known)) or "zones are named as in 'Europe/Rome'"
        raise names.source.type_error(node.span, f"unknown time zone '{node.text}'", hint)
    return ZoneInfo(node.text).key
