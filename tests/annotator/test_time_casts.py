"""Columns of time stamps as they are written: local times become UTC; those that come twice, or never, are told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.annotator.time_casts import cast_time
from kaicep.settings import TimeSettings

ZONES = ("Europe/Copenhagen", "America/New_York", "Asia/Singapore", "Australia/Lord_Howe", "+08:00", "UTC")


def cast(values: list[object], **settings: str) -> tuple[list[datetime | None], list[str | None]]:
    found = cast_time(pa.chunked_array([pa.array(values)]), TimeSettings.model_validate({"attribute": "t", **settings}))
    return found.values.to_list(), found.reasons("t").to_list()


def zone_of(name: str) -> ZoneInfo | object:
    return datetime.fromisoformat(f"2000-01-01T00:00:00{name}").tzinfo if name[0] == "+" else ZoneInfo(name)


@given(
    st.sampled_from(ZONES),
    st.datetimes(datetime(1990, 1, 1), datetime(2035, 1, 1)),  # noqa: DTZ001  # UTC, made aware below
    st.sampled_from(["iso", "day_first", "month_first"]),
)
def test_local_times_come_back(zone: str, utc: datetime, time_format: str) -> None:
    """A moment that is written on the clocks of a place is found again, or is one that comes twice."""
    utc = utc.replace(tzinfo=UTC, microsecond=0)
    local = utc.astimezone(zone_of(zone))  # type: ignore[arg-type]  # fixed offsets are no ZoneInfo
    pattern = {"iso": "%Y-%m-%d %H:%M:%S", "day_first": "%d.%m.%Y %H:%M:%S", "month_first": "%m/%d/%Y %I:%M:%S %p"}
    text = local.strftime(pattern[time_format])
    (found,), (reason,) = cast([text], timezone=zone, format=time_format)
    if found is None:
        assert reason is not None
        assert "comes twice" in reason
        (earliest,), _ = cast([text], timezone=zone, format=time_format, ambiguous="earliest")
        (latest,), _ = cast([text], timezone=zone, format=time_format, ambiguous="latest")
        assert utc in (earliest, latest)
        assert earliest is not None
        assert latest is not None
        assert timedelta(0) < latest - earliest <= timedelta(hours=2)
    else:
        assert found == utc
        assert reason is None


def test_a_local_time_that_comes_twice_is_told() -> None:
    found, reasons = cast(["2021-11-07 01:30", "2021-11-07 03:30"], timezone="America/New_York")
    assert found == [None, datetime(2021, 11, 7, 8, 30, tzinfo=UTC)]
    reason = (
        "t: 2021-11-07 01:30:00 in America/New_York: clocks were put back, it comes twice; "
        'state time.ambiguous = "earliest" or "latest"'
    )
    assert reasons == [reason, None]


@pytest.mark.parametrize(("ambiguous", "hour"), [("earliest", 5), ("latest", 6)])
def test_which_of_two_can_be_stated(ambiguous: str, hour: int) -> None:
    found, _ = cast(["2021-11-07 01:30"], timezone="America/New_York", ambiguous=ambiguous)
    assert found == [datetime(2021, 11, 7, hour, 30, tzinfo=UTC)]


@pytest.mark.parametrize("ambiguous", ["refuse", "earliest", "latest"])
def test_a_local_time_that_never_was_is_told(ambiguous: str) -> None:
    found, reasons = cast(["14.03.2021 02:30"], timezone="America/New_York", format="day_first", ambiguous=ambiguous)
    assert found == [None]
    reason = (
        "t: 2021-03-14 02:30:00 in America/New_York: clocks were put forward, there is no such time; "
        "was the time written on another clock?"
    )
    assert reasons == [reason]


def test_a_zone_in_the_text_goes_before_that_of_the_stream() -> None:
    found, _ = cast(["2021-06-01T12:00:00Z", "2021-06-01 12:00"], timezone="Europe/Copenhagen")
    assert found == [datetime(2021, 6, 1, 12, tzinfo=UTC), datetime(2021, 6, 1, 10, tzinfo=UTC)]


def test_naive_columns_are_of_the_streams_zone() -> None:
    noon = datetime(2021, 6, 1, 12)  # noqa: DTZ001  # naive on purpose
    assert cast([noon], timezone="Europe/Copenhagen")[0] == [datetime(2021, 6, 1, 10, tzinfo=UTC)]
    assert cast([noon.replace(tzinfo=UTC)], timezone="Europe/Copenhagen")[0] == [noon.replace(tzinfo=UTC)]
    assert cast([noon], format="epoch_s")[0] == [noon.replace(tzinfo=UTC)]


def test_what_is_no_time_stamp_is_told_with_the_format() -> None:
    _, reasons = cast(["13/13/2021"], format="day_first")
    assert reasons == ["t: '13/13/2021' is no time stamp of the format day_first"]
    _, reasons = cast([1336348800])
    hint = 'state time.format, such as "epoch_s", or write ISO 8601'
    assert reasons == [f"t: 1336348800 is no xsd:dateTime (numbers are not guessed at: {hint})"]
