"""Deriving queries in contexts that they derive: rounds come to what is right, however long the stretches are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.pipeline.flow import Batch, Dataflow
from kaicep.pipeline.flow.answering import circle_answering
from kaicep.pipeline.flow.batch import live_batch

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"seg": {"datatype": "xsd:integer"}, "v": {"datatype": "xsd:integer"}},
}
DOCUMENT = """
CREATE CONTEXTS road (clear DEFAULT, jam) BY seg;
INITIATE CONTEXT jam FROM (?e, cars) IN CONTEXT clear WHERE { FILTER (?e.v < 10) };
TERMINATE CONTEXT jam FROM (?e, cars) IN CONTEXT jam WHERE { FILTER (?e.v > 50) };
SELECT ?e.v FROM (?e, cars) IN CONTEXT jam
"""
START = datetime(2024, 1, 1, tzinfo=UTC)
CARS = [{"at": (START + timedelta(seconds=n)).isoformat(), "seg": 1, "v": (5, 30, 60)[n % 3]} for n in range(60)]


def flow() -> tuple[Project, Dataflow]:
    project = Project.parse({"streams": {"cars": STREAM}})
    found = project.dataflow()
    for registration in project.registrations(DOCUMENT, "road"):
        found.register(registration)
    return project, found


@pytest.mark.parametrize("at_once", [1, 3, 2**20])
def test_a_long_chain_of_changes_is_found(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circle_answering, "_AT_ONCE", at_once)
    project, dataflow = flow()
    assert set(dataflow.flows) == {"road.jam.initiate", "road.jam.terminate", "road"}
    batch = live_batch(project.annotators, {"cars": pa.Table.from_pylist(CARS)})
    rows = [row for b in (batch, Batch(ends=True)) for row in dataflow.process(b).matches["road"].to_pylist()]
    assert [row["v"] for row in rows] == [30, 60] * 20
