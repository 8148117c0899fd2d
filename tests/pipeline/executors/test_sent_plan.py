"""A plan in another process: the same knowledge, the same versions."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.errors import PipelineError
from kaicep.pipeline.executors.sent_plan import SentPlan, own_versions
from kaicep.storage import LocalFolder
from support.batches import ended, processed
from support.engines import project_of
from support.sharded import plan_of

TEXT = """SELECT ?e.level PATH {
  ?e evt:hasSource ?s . ?s bd:hasLocation ?r . ?r a bd:Room FILTER (?s != bd:r0 && STR(?r) != "x")
}"""
EVENTS = {"airflowReport": [{"sensorID": "s0", "timestamp": "2024-01-01T00:00:00Z", "level": 3}]}


def test_a_plan_is_read_with_its_knowledge(tmp_path: Path) -> None:
    plan = plan_of(project_of(3), TEXT, 2)
    sent = pickle.loads(pickle.dumps(SentPlan.of(replace(plan, key="key"), LocalFolder(tmp_path))))  # noqa: S301 - our own
    found = sent.plan(LocalFolder(tmp_path))
    assert [one.query.normal for one in found.registrations] == [one.query.normal for one in plan.registrations]
    assert found.catalog.knowledge.written() != b""
    assert set(found.catalog.knowledge.written().split(b"\n")) == set(plan.catalog.knowledge.written().split(b"\n"))
    assert sent.plan(LocalFolder(tmp_path)) is found
    flows = [each.catalog.dataflow() for each in (found, plan)]
    for flow, each in zip(flows, (found, plan), strict=True):
        flow.register(each.registrations[0])
    rows, expected = (processed(flow, EVENTS).matches | ended(flow) for flow in flows)
    assert rows["query-0"].to_pylist() == expected["query-0"].to_pylist()


def test_blank_nodes_keep_their_names(tmp_path: Path) -> None:
    """PATHs bind them, and rows of several machines meet."""
    path = tmp_path / "blank.ttl"
    path.write_text('<urn:a> <urn:p> [ <urn:q> "x" ] .', encoding="utf-8")
    stream = {"event_type": "<urn:E>", "time": {"attribute": "t"}, "attributes": {"x": {"datatype": "xsd:string"}}}
    project = Project.parse({"knowledge": {"modules": [str(path)]}, "streams": {"s": stream}}, root=tmp_path)
    sent = SentPlan.of(
        replace(plan_of(project, "SELECT ?e._id AS i FROM (?e, s)", 1), key="blank"), LocalFolder(tmp_path)
    )
    assert sorted(sent.plan(LocalFolder(tmp_path)).catalog.knowledge.written()) == sorted(project.knowledge.written())


def test_other_versions_are_refused(tmp_path: Path) -> None:
    sent = SentPlan.of(replace(plan_of(project_of(3), TEXT, 2), key="versions"), LocalFolder(tmp_path))
    other = replace(sent, versions={**own_versions(), "polars": "0.1"})
    with pytest.raises(PipelineError, match=r"other versions than the driver: polars .* there, 0\.1 here: install"):
        other.plan(LocalFolder(tmp_path))


def test_a_folder_that_is_not_shared_is_told(tmp_path: Path) -> None:
    sent = SentPlan.of(replace(plan_of(project_of(3), TEXT, 2), key="elsewhere"), LocalFolder(tmp_path))
    with pytest.raises(PipelineError, match=r"an executor does not reach .*: name a folder that all machines share"):
        sent.plan(LocalFolder(tmp_path / "missing"))
