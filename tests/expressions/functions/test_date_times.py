"""Parts of dateTimes over columns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kaicep.expressions.functions.date_times import LOCAL
from support.columns import (
    DATETIME,
    DOUBLE,
    INTEGER,
    MOMENT,
    STRING,
    TERM,
    call,
    column,
    constant,
    typed,
    values,
)


def test_parts_of_moments() -> None:
    parts = {"YEAR": 2012, "MONTH": 5, "DAY": 7, "HOURS": 9, "MINUTES": 30}
    for function, value in parts.items():
        assert values(call(function, INTEGER, column(DATETIME)), a=(DATETIME, [MOMENT, None])) == [value, None]
    micros = MOMENT.replace(microsecond=3000)
    assert values(call("SECONDS", DOUBLE, column(DATETIME)), a=(DATETIME, [MOMENT, micros])) == [1.5, 1.003]
    terms = [typed("2012-05-07T01:00:00+02:00", "dateTime"), typed("2012-05-07T01:00:00", "dateTime"), '"2012"', None]
    assert values(call("HOURS", INTEGER, column(TERM)), a=(TERM, terms)) == [23, 1, None, None]


def local(zone: str, *moments: datetime | None) -> list[object]:
    return values(call("LOCAL", DATETIME, column(DATETIME), constant(zone, STRING)), a=(DATETIME, list(moments)))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_the_wall_shows_another_time() -> None:
    assert local("Asia/Kathmandu", utc("2012-12-31 20:00:00.000001"), None) == [utc("2013-01-01 01:45:00.000001"), None]
    assert local("UTC", MOMENT) == [MOMENT]
    hours = call("HOURS", INTEGER, call("LOCAL", DATETIME, column(DATETIME), constant("Europe/Rome", STRING)))
    assert values(hours, a=(DATETIME, [MOMENT, None])) == [11, None]


def test_an_hour_is_left_out_in_spring_and_comes_twice_in_autumn() -> None:
    spring = utc("2026-03-29 00:59:59")
    assert local("Europe/Rome", spring, spring + timedelta(seconds=1)) == [
        utc("2026-03-29 01:59:59"), utc("2026-03-29 03:00:00"),
    ]  # fmt: skip
    autumn = utc("2026-10-25 00:30:00")
    assert local("Europe/Rome", autumn, autumn + timedelta(hours=1)) == [utc("2026-10-25 02:30:00")] * 2


def test_the_calendar_ends_with_the_year_9999() -> None:
    assert local("Europe/Rome", utc("9999-12-31 22:59:59"), utc("9999-12-31 23:00:00")) == [
        utc("9999-12-31 23:59:59"), None,
    ]  # fmt: skip
    assert local("America/New_York", utc("0001-01-01 00:00:00")) == [None]


def test_terms_have_the_zone_that_they_are_written_in() -> None:
    terms = [typed("2012-05-07T01:00:00+02:00", "dateTime"), '"2012"', None]
    found = values(call("LOCAL", DATETIME, column(TERM), constant("America/New_York", STRING)), a=(TERM, terms))
    assert found == [utc("2012-05-06 19:00:00"), None, None]


@pytest.mark.parametrize(
    ("zone", "message", "hint"),
    [
        ("Europe/Roma", "there is no time zone 'Europe/Roma'", "did you mean 'Europe/Rome'?"),
        ("5 o'clock", "there is no time zone '5 o'clock'", "zones have names such as 'Europe/Rome'"),
        ("", "LOCAL needs the name of a time zone as text", "zones have names such as 'Europe/Rome'"),
    ],
)
def test_a_zone_that_nobody_knows_is_a_fault(zone: str, message: str, hint: str) -> None:
    assert LOCAL.signature.check is not None
    assert LOCAL.signature.check([column(DATETIME), constant("Europe/Rome", STRING)]) is None
    fault = LOCAL.signature.check([column(DATETIME), constant(zone, STRING)])
    assert fault is not None
    assert (fault.argument, fault.message) == (1, message)
    assert fault.hint.startswith(hint)
