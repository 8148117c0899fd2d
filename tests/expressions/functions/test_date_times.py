"""Parts of dateTimes over columns."""

from __future__ import annotations

from support.columns import (
    DATETIME,
    DOUBLE,
    INTEGER,
    MOMENT,
    TERM,
    call,
    column,
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
