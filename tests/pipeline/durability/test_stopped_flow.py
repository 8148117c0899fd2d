"""What is durable of the queries of an engine that does not run."""

from __future__ import annotations

from pathlib import Path

from kaicep.pipeline.durability import flow_at_stop
from support.asked_engine import TEXT, AskedEngine, batches


def test_queries_are_registered_as_they_were(tmp_path: Path) -> None:
    """At the same moments, with streams and contexts where they were; a withdrawn query's changes count on."""
    engine = AskedEngine(tmp_path, TEXT)
    first, second, *_ = batches()
    engine.deliver(**first)
    engine.flow.queries.withdraw("mood.busy.terminate", engine.flow.dataflow)
    engine.deliver(**second)
    flow = engine.flow.dataflow
    kept = [one.label for one in flow.queries.withdrawn]
    engine.stop()
    left = flow_at_stop(engine.project, engine.queries, print)
    assert (left.last, left.dataflow.watermarks) == (2, flow.watermarks)
    assert {label: one.registration.now for label, one in left.dataflow.flows.items()} == {
        label: one.registration.now for label, one in flow.flows.items()
    }
    assert [one.label for one in left.dataflow.queries.withdrawn] == kept != []
