"""A live batch: raw tuples, annotated by the knowledge in force."""

from __future__ import annotations

from kaicep import Project
from kaicep.pipeline.flow.batch import BatchSource, live_batch
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
