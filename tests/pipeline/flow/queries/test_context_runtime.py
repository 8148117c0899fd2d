"""A set of contexts as it runs: changes are made when all up to their time are known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.pipeline.flow import Batch, Dataflow
from kaicep.pipeline.flow.batch import live_batch

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"seg": {"datatype": "xsd:integer"}, "v": {"datatype": "xsd:integer"}},
}
DOCUMENT = """
CREATE CONTEXTS road (clear DEFAULT, jam) BY seg;
TERMINATE CONTEXT jam FROM (?e, cars) WHERE { FILTER (?e.v = 0) };
INITIATE CONTEXT jam FROM (?e, cars) WHERE { FILTER (?e.v < 10) };
SELECT ?c.context, ?c.change, ?c.since, ?c.seg FROM (?c, CONTEXTS(road))
"""
START = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture
def dataflow() -> Dataflow:
    project = Project.parse({"streams": {"cars": STREAM}})
    found = project.dataflow()
    for registration in project.registrations(DOCUMENT, "changes"):
        found.register(registration)
    cars = [{"at": (START + timedelta(seconds=n)).isoformat(), "seg": 1, "v": v} for n, v in enumerate((5, 0, 30))]
    _ = found.process(live_batch(project.annotators, {"cars": pa.Table.from_pylist(cars)}))
    return found


def test_changes_of_one_time_are_made_in_the_order_of_the_text(dataflow: Dataflow) -> None:
    _ = dataflow.process(Batch(ends=True)).matches
    told = [(turn.context, turn.change) for turn in dataflow.queries.contexts["road"].history.turns]
    assert told[:3] == [("clear", "ended"), ("jam", "started"), ("jam", "ended")]
    rows = dataflow.queries.contexts["road"].history.windows("jam", "1", 0, 2**62)
    (first, second), end = rows, START + timedelta(seconds=1)
    assert first.until == second.since == int(end.timestamp() * 1e6)


def test_what_is_known_is_what_the_deriving_queries_have_passed(dataflow: Dataflow) -> None:
    contexts = dataflow.queries.contexts["road"]
    assert contexts.known is None
    _ = dataflow.process(Batch()).matches
    assert contexts.known == START + timedelta(seconds=2)


def test_changes_are_taken_back(dataflow: Dataflow) -> None:
    _ = dataflow.process(Batch()).matches
    contexts = dataflow.queries.contexts["road"]
    mark, known = contexts.mark(), contexts.known
    contexts.advance(START + timedelta(hours=1))
    contexts.rewind(mark)
    assert contexts.known == known
