"""How time stamps are written is checked when the project file is read."""

from __future__ import annotations

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError


def refused(**time: str) -> str:
    stream = {"event_type": "<urn:E>", "time": {"attribute": "t", **time}}
    with pytest.raises(ConfigError) as found:
        Settings.parse({"streams": {"s": stream}})
    return str(found.value)


def test_a_format_and_a_zone() -> None:
    time = {"attribute": "t", "format": "%d.%m.%Y", "timezone": "Europe/Rome", "ambiguous": "latest"}
    settings = Settings.parse({"streams": {"s": {"event_type": "<urn:E>", "time": time}}})
    found = settings.streams["s"].time
    assert (found.format, found.timezone, found.ambiguous) == ("%d.%m.%Y", "Europe/Rome", "latest")


def test_a_format_that_is_none() -> None:
    assert "'day_frist' is no format of time stamps; did you mean 'day_first'?" in refused(format="day_frist")
    known = "iso, epoch_s, epoch_ms, epoch_us, epoch_ns, day_first, month_first, year_first"
    assert f'take {known}, or a pattern such as "%d.%m.%Y %H:%M"' in refused(format="sometimes")


def test_a_zone_that_is_none() -> None:
    assert "there is no time zone 'Europe/Copenhage'; did you mean 'Europe/Copenhagen'?" in refused(
        timezone="Europe/Copenhage"
    )
    assert 'there is no time zone \'x\'; write one such as "Europe/Rome", or "+08:00"' in refused(timezone="x")


def test_a_count_of_seconds_has_no_zone() -> None:
    assert "epoch_ms counts from a moment that is the same everywhere; drop 'timezone'" in refused(
        format="epoch_ms", timezone="Europe/Rome"
    )


def test_which_of_two_times() -> None:
    assert "streams.s.time.ambiguous: takes 'refuse', 'earliest' or 'latest', not 'both'" in refused(ambiguous="both")
