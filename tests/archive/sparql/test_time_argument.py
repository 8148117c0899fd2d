"""Moments as people write them on a command line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kaicep.archive.sparql import parse_time_argument
from kaicep.errors import ArchiveError
from support.archives import NINE


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", NINE),
        (" now-1.5 min ", NINE - timedelta(seconds=90)),
        ("now + 2h", NINE + timedelta(hours=2)),
        ("2021-09-07", datetime(2021, 9, 7, tzinfo=UTC)),
        ("2021-09-07T08:00+08:00", datetime(2021, 9, 7, tzinfo=UTC)),
    ],
)
def test_moments_are_written_as_in_queries(text: str, moment: datetime) -> None:
    assert parse_time_argument(text, NINE, "--start") == moment


@pytest.mark.parametrize("text", ["", "now - ", "now 1h", "tomorrow", "2021-13-01", "now - 9999999999 week"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(ArchiveError, match=f"^--start: '{text}' is no moment: write"):
        parse_time_argument(text, NINE, "--start")


def test_without_events_there_is_no_now() -> None:
    with pytest.raises(ArchiveError) as refused:
        parse_time_argument("now", None, "--end")
    assert str(refused.value) == (
        "--end: there are no events, whose newest would be now: name a moment, such as 2021-09-07T08:00Z"
    )
