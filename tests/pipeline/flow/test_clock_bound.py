"""Events that are too far ahead of the wall clock are refused, and nothing else is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kaicep import Project
from kaicep.annotator import AnnotatedBatch
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.clock_bound import refuse_ahead
from kaicep.pipeline.sources import raw_table

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def bounded(
    *ahead: timedelta | str, max_ahead: str | None = None, latest: datetime | None = None, now: datetime = NOON
) -> AnnotatedBatch:
    stream: dict[str, Any] = {"event_type": "<urn:E>", "time": {"attribute": "at"}}
    project = Project.parse({"streams": {"air": stream | ({"max_ahead": max_ahead} if max_ahead else {})}})
    times = [a if isinstance(a, str) else (now + a).isoformat() for a in ahead]
    events = live_batch(project.annotators, {"air": raw_table([{"at": t} for t in times])}).events
    return refuse_ahead(events, project.settings.streams, now, latest)["air"]


def test_an_event_of_the_year_9999_is_refused_with_its_reason() -> None:
    found = bounded("no time", "9999-12-31T23:59:59Z", timedelta(), "9999-01-01")
    assert found.events["_row"].to_pylist() == [2]
    because = "is more than 1h ahead of the wall clock, 2026-01-01T12:00:00Z (max_ahead)"
    assert found.rejected.to_pylist() == [
        {"row": 0, "reason": "at: 'no time' is no xsd:dateTime"},
        {"row": 1, "reason": f"at: 9999-12-31T23:59:59Z {because}"},
        {"row": 3, "reason": f"at: 9999-01-01T00:00:00Z {because}"},
    ]


def test_the_bound_itself_and_all_of_the_past_are_taken() -> None:
    found = bounded(HOUR, HOUR + timedelta(microseconds=1), -HOUR, "0001-01-01")
    assert found.events["_row"].to_pylist() == [0, 2, 3]


@pytest.mark.parametrize(("setting", "kept"), [("90min", [0, 1]), ("0s", []), ("never", [0, 1, 2])])
def test_the_stream_says_how_far(setting: str, kept: list[int]) -> None:
    found = bounded(HOUR, 1.5 * HOUR, "9999-12-31", max_ahead=setting)
    assert found.events["_row"].to_pylist() == kept


def test_a_clock_that_was_put_back_bounds_nothing() -> None:
    """What the sensors say is right then; nothing is bounded until the clock is where it was."""
    day_ago = NOON - timedelta(days=1)
    assert bounded(timedelta(days=1), now=day_ago, latest=NOON).events.num_rows == 1
    assert bounded(timedelta(days=1), now=day_ago, latest=day_ago + HOUR / 2).events.num_rows == 0
    assert bounded("9999-12-31", now=NOON, latest=NOON).events.num_rows == 0


def test_a_bound_beyond_the_calendar_bounds_nothing() -> None:
    late = datetime(9999, 12, 31, 23, 30, tzinfo=UTC)
    assert bounded("9999-12-31T23:59:59Z", now=late).events.num_rows == 1
