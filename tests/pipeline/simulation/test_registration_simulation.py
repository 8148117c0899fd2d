"""A registration in the middle of a stream: what archive and live stream both have, or lack, shows in no row."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kaicep import Project
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.simulation.registration_simulation import Gap, places, simulate
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.planner import Strategy

STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
START = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
EVENTS = [{"at": (START + s * SECOND).isoformat(), "x": s} for s in range(12)]
PAIRS = "SELECT ?b.x AS x FROM (?a, air), (?b, air) WITHIN (, ) SEQ (?a, ?b) WINDOW (?a, ?b, 2s)"


@pytest.mark.parametrize("overlap", [0, 3])
@pytest.mark.parametrize("in_flight", [0, 2])
def test_a_gap_changes_no_row(overlap: int, in_flight: int) -> None:
    project = Project.parse({"streams": {"air": STREAM}})
    annotated = live_batch(project.annotators, {"air": raw_table(EVENTS)}).events
    (query,) = project.compile(PAIRS)
    gap = Gap(START + 6 * SECOND, overlap * SECOND, in_flight * SECOND)
    asked = [Registration(query, "q", START + 5 * SECOND)]
    tables = simulate(project, asked, annotated, gap, Strategy.REPLAY)
    expected = [row["x"] for row in project.evaluate(PAIRS, {"air": EVENTS})]
    assert [x for table in tables for x in table["x"].to_pylist()] == expected
    assert set(expected) == set(range(1, 12))


def test_a_place_is_that_of_the_first_event_of_a_moment_or_later() -> None:
    project = Project.parse({"streams": {"air": STREAM}})
    annotated = live_batch(project.annotators, {"air": raw_table(EVENTS)}).events
    assert [places(annotated, START + s * SECOND)["air"] for s in (-1, 0, 5, 99)] == [0, 0, 5, 12]
