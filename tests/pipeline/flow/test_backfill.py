"""A backfill is a source of batches: the past of some queries, up to the border at which they were registered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.pipeline.flow.backfill import Backfill, queries_with_a_past
from kaicep.pipeline.flow.batch import BatchSource
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.planner import Strategy
from support.batches import pieces, processed

START = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
PAST = "SELECT ?e.x AS x FROM (?e, air) WITHIN (, ) FILTER (?e.x < 3)"
PRESENT = "SELECT ?e.x AS x FROM (?e, air)"


def tuples(*seconds: int) -> list[dict[str, object]]:
    return [{"at": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in seconds]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.parse({"streams": {"air": STREAM}, "archive": {"store": False}}, root=tmp_path)


def registered(project: Project, text: str) -> Dataflow:
    dataflow = project.dataflow()
    processed(dataflow, {"air": tuples(0, 1, 2, 3)})
    (query,) = project.compile(text)
    dataflow.register(Registration(query, "q", dataflow.now(query)))
    return dataflow


def test_only_what_asks_for_the_time_before_has_a_past(project: Project) -> None:
    assert queries_with_a_past(registered(project, PAST), ["q"]) == ["q"]
    assert queries_with_a_past(registered(project, PRESENT), ["q"]) == []


def test_the_past_comes_in_pieces_and_the_data_flow_goes_on_behind_it(project: Project) -> None:
    dataflow = registered(project, PAST)
    with Archive(project.settings, project.knowledge, project.shapes) as archive:
        archived = processed(project.dataflow(), {"air": tuples(0, 1, 2, 3)})
        archive.append(1, {name: stream.archived for name, stream in archived.streams.items()})
        backfill = Backfill(dataflow, ["q"], archive, upto=archive.last, strategy=Strategy.REPLAY, rows=2)
        sources = []
        rows = []
        shares = [backfill.done]
        for batch in backfill.batches():
            sources.append(batch.source)
            shares.append(backfill.done)
            rows += backfill.dataflow.process(batch).matches["q"]["x"].to_pylist()
    assert set(sources) == {BatchSource.BACKFILL}
    assert len(sources) > 1
    assert shares[:2] == [0.0, 0.0]
    assert shares == sorted(shares)
    assert any(0.0 < share < 1.0 for share in shares)
    assert backfill.done == 1.0
    backfill.hand_over(dataflow)
    rows += processed(dataflow, {"air": tuples(2, 3, 4)}).matches["q"]["x"].to_pylist()
    assert rows == [0, 1, 2]


def test_an_empty_past_has_no_rows(project: Project) -> None:
    dataflow = project.dataflow()
    (query,) = project.compile(PAST)
    dataflow.register(Registration(query, "q"))
    with Archive(project.settings, project.knowledge, project.shapes) as archive:
        backfill = Backfill(dataflow, ["q"], archive, upto=None)
        assert sum(found["q"].num_rows for found in pieces(backfill) if "q" in found) == 0
