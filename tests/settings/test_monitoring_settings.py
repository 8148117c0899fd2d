"""What `[monitoring]` takes."""

from __future__ import annotations

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError
from kaicep.settings import MonitoringSettings


def test_nothing_is_written_unless_asked() -> None:
    found = Settings.parse({}).monitoring
    assert found == MonitoringSettings()
    assert (found.metrics, found.log, found.log_format) == (None, None, "text")


def test_sizes_are_written_as_people_write_them() -> None:
    assert Settings.parse({"monitoring": {"log_size": "1 MB"}}).monitoring.log_size == 10**6


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"log_format": "xml"}, "log_format"),
        ({"log_level": "loud"}, "log_level"),
        ({"log_size": "big"}, "'big' is no size"),
        ({"log_files": 0}, "log_files"),
        ({"metric": "x.prom"}, "metrics"),
    ],
)
def test_what_it_does_not_take_is_said(table: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Settings.parse({"monitoring": table})
