"""A live batch: raw tuples, annotated by the knowledge in force."""

from __future__ import annotations

from kaicep import Project
from kaicep.pipeline.flow.batch import BatchSource, Judgement, live_batch
from kaicep.pipeline.sources.memory_source import raw_table

STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}


def test_raw_tuples_are_annotated_in_order() -> None:
    annotators = Project.parse({"streams": {"air": STREAM}}).annotators
    raw = [{"at": "2026-01-01T00:00:02Z", "x": 2}, {"at": "never"}, {"at": "2026-01-01T00:00:01Z", "x": 1}]
    batch = live_batch(annotators, {"air": raw_table(raw)})
    assert batch.source is BatchSource.LIVE
    assert batch.events["air"].events["x"].to_pylist() == [2, 1]
    assert batch.events["air"].events["_row"].to_pylist() == [0, 2]
    assert batch.events["air"].rejected["row"].to_pylist() == [1]


def test_a_judgement_knows_the_events_of_sources_and_of_the_output_of_queries() -> None:
    project = Project.parse({"streams": {"air": STREAM}})
    (high,) = project.compile("CREATE QUERY high AS SELECT ?e.x AS much FROM (?e, air)")
    judgement = Judgement(project.annotators, project.knowledge)
    assert judgement.shape(project.annotators["air"].stream_type) is project.annotators["air"].shape
    assert [attribute.name for attribute in judgement.shape(high.output).attributes] == ["much", "_time"]
