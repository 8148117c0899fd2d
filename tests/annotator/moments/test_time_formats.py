"""Each format reads what is written in it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.annotator.moments import READERS, read_clock
from kaicep.settings import TIME_FORMATS

NOON = datetime(2021, 3, 4, 12, 5, 6)  # noqa: DTZ001  # what a clock showed
moments = st.datetimes(datetime(1970, 1, 2), datetime(2199, 12, 31))  # noqa: DTZ001  # likewise
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  # likewise

WRITERS: Mapping[str, Callable[[datetime], str]] = {
    "iso": lambda m: m.isoformat(sep=" "),
    "epoch_s": lambda m: str((m - _EPOCH) / timedelta(seconds=1)),
    "epoch_ms": lambda m: str((m - _EPOCH) // timedelta(milliseconds=1)),
    "epoch_us": lambda m: str((m - _EPOCH) // timedelta(microseconds=1)),
    "epoch_ns": lambda m: str((m - _EPOCH) // timedelta(microseconds=1) * 1000),
    "day_first": lambda m: m.strftime("%d/%m/%Y %H:%M:%S.%f"),
    "month_first": lambda m: m.strftime("%m-%d-%Y %I:%M:%S.%f %p"),
    "year_first": lambda m: f"{m.year}/{m.month}/{m.day} {m.strftime('%H:%M:%S.%f')}",
    "%d-%b-%Y %H:%M:%S.%f": lambda m: m.strftime("%d-%b-%Y %H:%M:%S.%f"),
}
_GRAIN = {"epoch_ms": 1000}


def read(text: str | float | datetime, time_format: str) -> tuple[datetime | None, bool]:
    found = read_clock(pl.Series([text]), time_format)
    return found.clock[0], found.zoned[0]


def test_every_named_format_is_tried_here() -> None:
    assert set(TIME_FORMATS) == set(READERS) == {name for name in WRITERS if "%" not in name}


@pytest.mark.parametrize("time_format", WRITERS)
@given(moment=moments)
def test_what_is_written_is_read(time_format: str, moment: datetime) -> None:
    """Through every format, to the microsecond where the format has them."""
    grain = timedelta(microseconds=_GRAIN.get(time_format, 1))
    expected = _EPOCH + (moment - _EPOCH) // grain * grain
    found, zoned = read(WRITERS[time_format](moment), time_format)
    assert found == expected
    assert zoned is time_format.startswith("epoch")


@pytest.mark.parametrize(
    ("text", "time_format", "expected"),
    [
        ("4.3.2021 12:05:06", "day_first", NOON),
        ("04-03-21 12:05:06", "day_first", NOON),
        ("04/03/2021, 12:05:06", "day_first", NOON),
        ("3/4/2021 12:05:06 PM", "month_first", NOON),
        ("3/4/2021 12:05:06 p.m.", "month_first", NOON),
        ("03/04/21 12:05:06pm", "month_first", NOON),
        ("3/4/2021 12:05:06 AM", "month_first", NOON.replace(hour=0)),
        ("3/4/2021", "month_first", NOON.replace(hour=0, minute=0, second=0)),
        ("2021/3/4 12:05:06", "year_first", NOON),
        ("4/3/70", "day_first", datetime(1970, 3, 4)),  # noqa: DTZ001  # what a clock showed
        ("20210304120506", "%Y%m%d%H%M%S", NOON),
        (" 1614859506 ", "epoch_s", NOON),
        (1614859506, "epoch_s", NOON),
        (1614859506.0, "epoch_s", NOON),
        (1614859506000, "epoch_ms", NOON),
        ("4323283200.002147", "epoch_s", datetime(2107, 1, 1, 0, 0, 0, 2147)),  # noqa: DTZ001  # likewise
    ],
)
def test_usual_forms(text: str | float, time_format: str, expected: datetime) -> None:
    assert read(text, time_format)[0] == expected


@pytest.mark.parametrize(
    ("text", "time_format"),
    [
        ("31/02/2021", "day_first"),
        ("04/13/2021", "day_first"),
        ("13/04/2021", "month_first"),
        ("3/4/2021 13:05 PM", "month_first"),
        ("3/4/2021 0:05 AM", "month_first"),
        ("noon", "day_first"),
        ("1.6E9", "epoch_s"),
        ("2021-03-04", "epoch_s"),
        (True, "epoch_s"),
        (9_000_000_000_000_000_000, "epoch_s"),
        ("99999999999999999999", "epoch_ns"),
        ("2021-03-04", "%d.%m.%Y"),
    ],
)
def test_what_is_no_time_stamp_of_the_format(text: str | float, time_format: str) -> None:
    assert read(text, time_format)[0] is None


@pytest.mark.parametrize(
    ("text", "time_format"),
    [
        ("04/03/2021 14:05:06+02:00", "day_first"),
        ("2021-03-04T14:05:06+02", "iso"),
        ("04/03/2021 14:05:06 +0200", "%d/%m/%Y %H:%M:%S %z"),
    ],
)
def test_a_zone_that_is_written_counts(text: str, time_format: str) -> None:
    assert read(text, time_format) == (NOON, True)


def test_a_date_alone_names_no_zone() -> None:
    """The day of `2021-03-04` is no offset."""
    assert read("2021-03-04", "iso")[1] is False


def test_columns_of_moments_are_taken_as_they_are() -> None:
    for time_format in ("day_first", "%d.%m.%Y"):
        assert read(NOON, time_format)[0] == NOON
    assert read_clock(pl.Series([NOON.replace(tzinfo=UTC)]), "iso").clock[0] == NOON
