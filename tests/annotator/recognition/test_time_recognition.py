"""Columns of time stamps in every format are recognised again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.annotator.moments import read_clock
from kaicep.annotator.recognition import recognise_time, unlike_stated
from kaicep.annotator.type_casts import to_series

WRITERS: Mapping[str, Callable[[datetime], object]] = {
    "iso": lambda m: m.isoformat(),
    "epoch_s": lambda m: int(m.timestamp()),
    "epoch_ms": lambda m: int(m.timestamp()) * 1000,
    "epoch_us": lambda m: int(m.timestamp()) * 1_000_000,
    "epoch_ns": lambda m: str(int(m.timestamp()) * 1_000_000_000),
    "day_first": lambda m: m.strftime("%d.%m.%Y %H:%M:%S"),
    "month_first": lambda m: m.strftime("%m/%d/%Y %I:%M:%S %p"),
    "year_first": lambda m: m.strftime("%Y/%m/%d %H:%M:%S"),
    "%d-%b-%Y %H:%M:%S": lambda m: m.strftime("%d-%b-%Y %H:%M:%S"),
    "%Y%m%d%H%M%S": lambda m: m.strftime("%Y%m%d%H%M%S"),
    "%Y%m%dT%H%M%SZ": lambda m: m.strftime("%Y%m%dT%H%M%SZ"),
}


def column(*values: object) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values)])


@pytest.mark.parametrize("written", WRITERS)
@settings(max_examples=10, deadline=None)
@given(
    start=st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001  # zone given
    minutes=st.integers(1, 60),
    steps=st.integers(1, 300),
)
def test_what_is_written_is_recognised(written: str, start: datetime, minutes: int, steps: int) -> None:
    """A recording that goes on by steps; where two readings are possible, that is said."""
    start = start.replace(microsecond=0)
    moments = [start + step * timedelta(minutes=minutes) for step in range(steps)]
    values = column(*(WRITERS[written](moment) for moment in moments))
    guess = recognise_time(values)
    assert guess is not None
    assert guess.share == 1.0
    read = read_clock(to_series(values), guess.format).clock.to_list()
    if guess.rival is None:
        assert read == [moment.replace(tzinfo=None) for moment in moments]
    else:
        assert {guess.format, guess.rival} == {"day_first", "month_first"}
        assert written in {guess.format, guess.rival}


def test_small_steps_tell_day_from_month() -> None:
    """01/02 … 12/02: twelve days of February, not the second of every month."""
    days = column(*(f"{day:02d}/02/2021 10:00" for day in range(1, 13)))
    guess = recognise_time(days)
    assert guess is not None
    assert (guess.format, guess.rival) == ("day_first", None)


def test_what_nothing_tells_is_said() -> None:
    guess = recognise_time(column("01/02/2021 10:00", "01/02/2021 10:05"))
    assert guess is not None
    assert (guess.format, guess.rival) == ("day_first", "month_first")


def test_habits_of_writing_tell_where_nothing_else_does() -> None:
    """Points are German; AM and PM are rather American, but that is a doubt."""
    dotted = recognise_time(column("01.02.2021 10:00", "01.02.2021 10:05"))
    halves = recognise_time(column("01/02/2021 10:00 AM", "01/02/2021 10:05 AM"))
    assert dotted is not None
    assert halves is not None
    assert (dotted.format, dotted.rival) == ("day_first", None)
    assert (halves.format, halves.rival) == ("month_first", "day_first")


def test_a_date_that_can_be_read_in_one_way_alone_settles_it() -> None:
    guess = recognise_time(column("01/02/2021", "01/13/2021"))
    assert guess is not None
    assert (guess.format, guess.rival) == ("month_first", None)


@pytest.mark.parametrize(
    "values",
    [
        ["a", "b"],
        ["21.5", "22.5"],
        [1, 2, 3],
        [412.0, 1_600_000_000.0],
        ["2021-01-01", "n/a", "n/a"],
        [None, None],
        [True, False],
        ["5022", "801"],
    ],
)
def test_what_holds_no_time_stamps(values: list[object]) -> None:
    assert recognise_time(column(*values)) is None


def test_a_few_values_that_are_none_do_no_harm() -> None:
    guess = recognise_time(column(*["2021-01-01T00:00:00Z"] * 39, "n/a"))
    assert guess is not None
    assert (guess.format, guess.share, guess.zoned) == ("iso", 39 / 40, True)


def test_columns_of_moments() -> None:
    zoned = recognise_time(column(datetime(2021, 1, 1, tzinfo=UTC)))
    naive = recognise_time(column(datetime(2021, 1, 1)))  # noqa: DTZ001  # naive on purpose
    assert zoned is not None
    assert naive is not None
    assert (zoned.format, zoned.zoned, naive.zoned) == ("iso", True, False)
    assert recognise_time(pa.chunked_array([pa.array([1], pa.duration("s"))])) is None


@pytest.mark.parametrize(
    ("values", "stated", "other"),
    [
        (["07-09-2021 00:00", "13-09-2021 00:00"], "month_first", "day_first"),
        (["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"], "day_first", "iso"),
        (["2026-01-01T00:00:00Z"], "iso", None),
        (["07-09-2021 00:00", "noon"], "iso", None),
        ([None], "iso", None),
        ([1_700_000_000, 1_700_000_060], "day_first", "epoch_s"),
    ],
)
def test_a_stated_format_that_does_not_fit_has_another_one(values: list[Any], stated: str, other: str | None) -> None:
    """All over the column: the first days of a month fit both."""
    guess = unlike_stated(pa.chunked_array([pa.array(values)]), stated)
    assert (None if guess is None else guess.format) == other
