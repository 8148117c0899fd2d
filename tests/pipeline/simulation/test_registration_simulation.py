"""A registration in the middle of a stream: what archive and live stream both have, or lack, shows in no row."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

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
    tables = simulate(project, asked, annotated, gap, Strategy.REPLAY, calls=[])
    expected = [row["x"] for row in project.evaluate(PAIRS, {"air": EVENTS})]
    assert [x for table in tables for x in table["x"].to_pylist()] == expected
    assert set(expected) == set(range(1, 12))


def test_a_place_is_that_of_the_first_event_of_a_moment_or_later() -> None:
    project = Project.parse({"streams": {"air": STREAM}})
    annotated = live_batch(project.annotators, {"air": raw_table(EVENTS)}).events
    assert [places(annotated, START + s * SECOND)["air"] for s in (-1, 0, 5, 99)] == [0, 0, 5, 12]


RANDOM = Random(1)
CARS = [
    {
        "at": f"2024-01-01T00:{n // 60:02}:{n % 60:02}Z",
        "seg": RANDOM.randint(0, 2),
        "v": RANDOM.choice([5, 20, 30, 60, 70]),
    }
    for n in range(120)
]
ROAD = """
CREATE CONTEXTS road (clear DEFAULT, jam) BY seg WITHIN (,);
INITIATE CONTEXT jam (?e.v AS v) FROM (?e, cars) IN CONTEXT clear WITHIN (,) WHERE { FILTER (?e.v < 10) };
TERMINATE CONTEXT jam FROM (?e, cars) IN CONTEXT jam WITHIN (,) WHERE { FILTER (?e.v > 50) };
CREATE QUERY slow AS SELECT ?e.v, ?e.seg, ?w.v AS of FROM (?e, cars) IN CONTEXT jam AS ?w WITHIN (,);
SELECT ?a.v AS a, ?b.v AS b FROM (?a, slow), (?b, cars) IN CONTEXT jam WITHIN (,)
WHERE { SEQ (?a, ?b) WINDOW (?a, ?b, 5s) JOIN (?a.seg = ?b.seg) };
"""
CHANGES = f"{ROAD} SELECT ?c.context, ?c.change, ?c.seg FROM (?c, CONTEXTS(road)) WITHIN (,)"


@pytest.mark.parametrize("document", [ROAD, CHANGES])
def test_contexts_of_the_past_are_those_that_were(document: str) -> None:
    """Whichever strategy is asked for: it is a replay, with all that derives them."""
    attributes = {"seg": {"datatype": "xsd:integer"}, "v": {"datatype": "xsd:integer"}}
    stream = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": attributes}
    project, moment = Project.parse({"streams": {"cars": stream}}), datetime(2024, 1, 1, 0, 1, 30, tzinfo=UTC)
    whole = [row["_id"] for row in project.evaluate(document, {"cars": CARS})]
    assert len(whole) > 5
    for strategy in ("replay", "hybrid"):
        rows = project.evaluate(document, {"cars": CARS}, registered_at=moment, strategy=strategy)
        assert [row["_id"] for row in rows] == whole
