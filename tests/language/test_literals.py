"""The values that texts stand for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.language.literals import (
    UNITS,
    duration_text,
    moment_text,
    parse_double,
    parse_duration,
    parse_integer,
    parse_moment,
    parse_xsd_duration,
    quote,
    unquote,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5min", timedelta(minutes=5)),
        ("1.5h", timedelta(minutes=90)),
        ("0.001ms", timedelta(microseconds=1)),
        ("2DAY", timedelta(days=2)),
        ("3week", timedelta(weeks=3)),
        ("7sec", timedelta(seconds=7)),
        ("0.1s", timedelta(milliseconds=100)),
        ("0s", timedelta(0)),
    ],
)
def test_durations(text: str, expected: timedelta) -> None:
    assert parse_duration(text) == expected


def test_every_unit_is_a_duration() -> None:
    assert [parse_duration(f"1{unit}") for unit in UNITS] == [
        timedelta(milliseconds=1),
        timedelta(seconds=1),
        timedelta(seconds=1),
        timedelta(minutes=1),
        timedelta(hours=1),
        timedelta(hours=1),
        timedelta(days=1),
        timedelta(days=1),
        timedelta(weeks=1),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2012-05-07", datetime(2012, 5, 7, tzinfo=UTC)),
        ("2012-05-07T09:00", datetime(2012, 5, 7, 9, tzinfo=UTC)),
        ("2012-05-07T09:00:01.5", datetime(2012, 5, 7, 9, 0, 1, 500_000, tzinfo=UTC)),
        ("2012-05-07T09:00:01.1234567Z", datetime(2012, 5, 7, 9, 0, 1, 123_456, tzinfo=UTC)),
        ("2012-05-07T09:00+02:00", datetime(2012, 5, 7, 7, tzinfo=UTC)),
        ("2012-05-07-02:30", datetime(2012, 5, 7, 2, 30, tzinfo=UTC)),
    ],
)
def test_moments(text: str, expected: datetime) -> None:
    """Without a zone they are UTC; what is finer than a microsecond is cut."""
    assert parse_moment(text) == expected


@pytest.mark.parametrize("text", ["2012-13-01", "2012-05-07T25:00", "0000-01-01", "0001-01-01T00:00+14:00", "2012"])
def test_what_is_no_moment(text: str) -> None:
    with pytest.raises(ValueError, match=r"no calendar has it|it is no dateTime"):
        parse_moment(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("PT5M", timedelta(minutes=5)), ("-P1DT0.5S", -timedelta(days=1, seconds=0.5)), ("P0D", timedelta(0))],
)
def test_xsd_durations(text: str, expected: timedelta) -> None:
    assert parse_xsd_duration(text) == expected


@pytest.mark.parametrize("text", ["P", "PT", "P1Y", "P1DT", "5min", ""])
def test_what_is_no_xsd_duration(text: str) -> None:
    with pytest.raises(ValueError, match="it is no duration"):
        parse_xsd_duration(text)


def test_integers_have_64_bits() -> None:
    assert parse_integer("-9223372036854775808") == -(2**63)
    for text in ("9223372036854775808", "1.0", "", "1_000"):
        with pytest.raises(ValueError, match=r"64 bits|no integer"):
            parse_integer(text)


def test_doubles_are_finite() -> None:
    assert parse_double("1e3") == 1000.0
    for text in ("1e999", "nan", "inf", "1_0", ""):
        with pytest.raises(ValueError, match=r"beyond the range|no number"):
            parse_double(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"a"', "a"),
        ("'a\"'", 'a"'),
        ('"""a"\nb"""', 'a"\nb'),
        ("'''it's'''", "it's"),
        (r'"\t\n\\\"\'"', "\t\n\\\"'"),
        (r'"\u00e9\U0001F600"', "é😀"),
        ('""', ""),
        ('""""""', ""),
    ],
)
def test_strings(text: str, expected: str) -> None:
    assert unquote(text) == expected


@pytest.mark.parametrize("text", [r'"\q"', r'"\uD800"', r'"\U00110000"'])
def test_what_is_no_string(text: str) -> None:
    with pytest.raises(ValueError, match=r"escape|character"):
        unquote(text)


@given(st.text())
def test_what_is_quoted_is_unquoted_again(text: str) -> None:
    assert unquote(quote(text)) == text


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(minutes=5), "300s"),
        (timedelta(milliseconds=1500), "1500ms"),
        (timedelta(microseconds=1), "0.001ms"),
        (timedelta(0), "0s"),
    ],
)
def test_texts_of_durations_are_read_back(duration: timedelta, text: str) -> None:
    assert duration_text(duration) == text
    assert parse_duration(text) == duration


def test_texts_of_moments_are_utc() -> None:
    moment = datetime(2012, 5, 7, 9, tzinfo=timezone(timedelta(hours=2)))
    assert moment_text(moment) == "2012-05-07T07:00:00Z"
    assert parse_moment(moment_text(moment)) == moment
