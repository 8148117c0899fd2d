"""One door: whatever a batch comes from, it is processed alike."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kaicep import PipelineError, Project
from kaicep.annotator import AnnotatedBatch
from kaicep.cep import END_OF_TIME
from kaicep.errors import OperatorError
from kaicep.pipeline.flow.batch import Batch, BatchSource, live_batch
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.sources.memory_source import raw_table
from support.batches import ended, processed
from support.clock import Clock

START = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
MEAN = "CREATE QUERY mean AS SELECT AVG(?e.x) AS mean FROM (?e, air) WINDOW (?e, batch, 10s)"
HIGH = "CREATE QUERY high AS SELECT ?m.mean AS mean FROM (?m, mean) FILTER (?m.mean > 5)"


@pytest.fixture
def project() -> Project:
    return Project.parse({"streams": {"air": {**STREAM, "lateness": "1s"}, "door": STREAM}})


def flow_of(project: Project, *texts: str) -> Dataflow:
    dataflow = project.dataflow()
    for registration in project.registrations("; ".join(texts), "query"):
        dataflow.register(registration)
    return dataflow


def tuples(*seconds: int) -> list[dict[str, Any]]:
    return [{"at": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in seconds]


def test_a_batch_is_admitted_at_once_and_answered_before_the_next(project: Project) -> None:
    """Nobody need take the rows: the data flow does before it processes more, and they are in the result still."""
    dataflow = flow_of(project, "SELECT ?e.x AS x FROM (?e, air)")
    first = processed(dataflow, {"air": tuples(3, 1, 3)})
    assert first.streams["air"].events["x"].to_pylist() == [3]
    assert first.streams["air"].late["x"].to_pylist() == [1]
    assert first.streams["air"].duplicates == 1
    assert first.watermarks == {"air": START + timedelta(seconds=2), "door": None}
    second = processed(dataflow, {"air": tuples(9)})
    assert (first.matches["query"]["x"].to_pylist(), second.matches["query"]["x"].to_pylist()) == ([], [3])


def test_a_named_query_s_rows_are_another_s_events(project: Project) -> None:
    dataflow = flow_of(project, MEAN, HIGH)
    result = processed(dataflow, {"air": tuples(1, 3, 11, 13, 25)})
    assert result.matches["mean"]["mean"].to_pylist() == [2.0, 12.0]
    assert result.matches["high"]["mean"].to_pylist() == [12.0]
    with pytest.raises(PipelineError, match="'mean' is read by high"):
        dataflow.remove("mean")


@pytest.mark.parametrize("operands", [200, 450])
@pytest.mark.parametrize("text", ["SELECT {} AS t FROM (?e, air)", "SELECT ?e.x FROM (?e, air) FILTER ({} > 3)"])
def test_a_sum_that_is_too_long_is_refused_where_it_stands(project: Project, text: str, operands: int) -> None:
    """Whether its operands are counted first or the stack ends; what the hint says helps."""
    long = " + ".join(["?e.x"] * operands)
    (registration,) = project.registrations(text.format(long), "long.chi")
    with pytest.raises(OperatorError, match="an expression of integers is too long") as told:
        project.dataflow().register(registration)
    assert told.value.place is not None
    assert (told.value.place.source, told.value.place.column) == ("long.chi", text.index("{") + 1)
    doubles = STREAM | {"attributes": {"x": {"datatype": "xsd:double"}}}
    mended = Project.parse({"streams": {"air": doubles}})
    (again,) = mended.registrations(text.format(long), "long.chi")
    mended.dataflow().register(again)


def test_the_end_of_the_streams_is_a_batch(project: Project) -> None:
    dataflow = flow_of(project, MEAN)
    processed(dataflow, {"air": tuples(1, 3)})
    assert ended(dataflow)["mean"]["mean"].to_pylist() == [2.0]
    assert dataflow.process(Batch(ends=True)).watermarks == dict.fromkeys(("air", "door"), END_OF_TIME)
    assert processed(dataflow, {"air": tuples(99)}).streams["air"].late.num_rows == 1


def test_recorded_advances_are_followed_and_the_clock_is_not_asked(project: Project) -> None:
    """A batch that is done again, and a replay of the log, move what was moved then."""
    dataflow = flow_of(project, MEAN)
    clock = Clock()
    idle = IdleStreams({"air": timedelta(seconds=5), "door": timedelta(seconds=5)}, clock)
    processed(dataflow, {"air": tuples(1)})
    clock.seconds = 60
    moved = dataflow.process(Batch(idle=idle, advances={}))
    assert (moved.advances, moved.idled) == ({}, False)
    moved = dataflow.process(Batch(idle=idle))
    assert moved.advances == {"air": START + timedelta(seconds=55)}
    assert moved.idled
    assert moved.matches["mean"]["mean"].to_pylist() == [1.0]
    again = flow_of(project, MEAN)
    processed(again, {"air": tuples(1)})
    assert again.process(Batch(source=BatchSource.LOG, advances=moved.advances)).matches["mean"].num_rows == 1


def test_a_batch_of_the_log_is_judged_as_it_was(project: Project) -> None:
    dataflow = flow_of(project, "SELECT ?e.x AS x FROM (?e, air)")
    live = live_batch(dataflow.annotators, {"air": raw_table(tuples(1, 2, 9))})
    logged = {stream: AnnotatedBatch.of_events(own.events) for stream, own in live.events.items()}
    other = Project.parse({"streams": {"air": STREAM, "door": STREAM}})
    result = dataflow.process(Batch(logged, BatchSource.LOG, other.judgement))
    assert result.source is BatchSource.LOG
    assert result.matches["query"]["x"].to_pylist() == [1, 2]
    assert dataflow.knowledge is other.knowledge


def test_a_snapshot_has_what_nobody_took(project: Project) -> None:
    dataflow = flow_of(project, MEAN)
    processed(dataflow, {"air": tuples(1, 3)})
    restored = project.dataflow()
    assert restored.restore(dataflow.snapshot(), project.registrations(MEAN, "query")) == []
    assert ended(restored)["mean"]["mean"].to_pylist() == [2.0]


def test_what_is_due_is_said_of_what_nobody_took(project: Project) -> None:
    """Until its query has seen the event, nothing would be due."""
    dataflow = flow_of(project, MEAN)
    processed(dataflow, {"air": tuples(3)})
    assert dataflow.due == {"air": START + timedelta(seconds=3, microseconds=1)}


def test_suspended_queries_are_given_nothing(project: Project) -> None:
    dataflow = flow_of(project, MEAN)
    dataflow.suspend("mean")
    assert processed(dataflow, {"air": tuples(1, 30)}).matches == {}
    assert dataflow.suspended == {"mean"}
    dataflow.adopt("mean", dataflow.rehearsal(["mean"]))
    assert dataflow.suspended == frozenset()


@pytest.mark.parametrize("source", BatchSource)
def test_only_live_batches_have_a_limit_of_time(source: BatchSource) -> None:
    """What is replayed, was missed or is of the past holds up nobody, and came in time once."""
    content = {"streams": {"air": STREAM}, "engine": {"query_timeout": "0s"}}
    project = Project.parse(content)
    dataflow = project.dataflow(isolated=True, timely=True)
    (registration,) = project.registrations("SELECT ?e.x AS x FROM (?e, air)", "query")
    dataflow.register(registration)
    live = live_batch(project.judgement.annotators, {"air": raw_table(tuples(1, 2, 3))})
    found = dataflow.process(replace(live, source=source)).matches["query"]["x"].to_pylist()
    failure = dataflow.flows["query"].failure
    if source is BatchSource.LIVE:
        assert failure is not None
        assert "takes longer than 0 s for the events of one batch" in failure.message
    else:
        assert (failure, found) == (None, [1, 2])
