"""Durations and sizes as people write them in the project file."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("5s", timedelta(seconds=5)),
        (" 1.5 min ", timedelta(seconds=90)),
        ("250ms", timedelta(milliseconds=250)),
        ("2 week", timedelta(weeks=2)),
        ("0s", timedelta(0)),
    ],
)
def test_durations(text: str, length: timedelta) -> None:
    assert Settings.parse({"engine": {"trigger": text}}).engine.trigger == length


def test_never_is_the_longest_timeout() -> None:
    assert Settings.parse({"engine": {"idle_timeout": "never"}}).engine.idle_timeout == timedelta.max


@pytest.mark.parametrize(
    ("text", "size"), [("500 kB", 500_000), ("1.5MB", 1_500_000), ("50GB", 50 * 10**9), ("2 TB", 2 * 10**12)]
)
def test_sizes(text: str, size: int) -> None:
    assert Settings.parse({"archive": {"log_size": text}}).archive.log_size == size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("soon", "'soon' is no duration; write a number and one of ms, s, min, h, d, week, such as \"5s\""),
        ("-5s", "'-5s' is no duration; write a number and one of ms, s, min, h, d, week, such as \"5s\""),
        ("99999999999week", "it is too long"),
        ("0.0001ms", "it is shorter than a microsecond"),
    ],
)
def test_what_is_no_duration_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Settings.parse({"engine": {"trigger": text}})
    assert str(refused.value) == f"project: engine.trigger: {message}: see docs/project.md"
