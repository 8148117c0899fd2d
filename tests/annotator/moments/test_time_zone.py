"""Clock readings become UTC; columns of moments through the annotator are asked in `test_time_casts.py`."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
from kaicep.annotator.moments import ClockReadings, to_utc
from kaicep.settings import TimeSettings

SUMMER = datetime(2021, 6, 1, 12)  # noqa: DTZ001  # what a clock showed


def test_without_a_zone_clocks_show_utc() -> None:
    moments, faults = to_utc(
        ClockReadings(pl.Series([SUMMER, None]), pl.Series([False, False])), TimeSettings(attribute="t")
    )
    assert moments.to_list() == [SUMMER.replace(tzinfo=UTC), None]
    assert faults.to_list() == [None, None]


def test_only_readings_without_a_zone_are_moved() -> None:
    readings = ClockReadings(pl.Series([SUMMER, SUMMER]), pl.Series([False, True]))
    moments, faults = to_utc(readings, TimeSettings(attribute="t", timezone="Asia/Singapore"))
    assert moments.to_list() == [datetime(2021, 6, 1, 4, tzinfo=UTC), datetime(2021, 6, 1, 12, tzinfo=UTC)]
    assert faults.null_count() == 2
