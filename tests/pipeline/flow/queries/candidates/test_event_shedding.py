"""A query that sheds looks at the same events however they come, and says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from kaicep import Project
from kaicep.pipeline.flow import Batch, live_batch
from kaicep.pipeline.sinks import rows
from kaicep.pipeline.sources import raw_table
from oracle.shedding import is_looked_at

START = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
QUERIES = """
CREATE QUERY all AS SELECT ?e.x AS x FROM (?e, air);
CREATE QUERY some AS SELECT ?e.x AS x FROM (?e, air);
CREATE QUERY total AS SELECT COUNT(?s) AS n FROM (?s, some) WINDOW (?s, batch, 1h)
"""
PROJECT = Project.parse({"streams": {"air": STREAM}, "queries": {"some": {"shed": "sample 20%"}}})


def events(first: int, last: int) -> dict[str, Any]:
    tuples = [{"at": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in range(first, last)]
    return {"air": raw_table(tuples)}


def test_it_looks_at_the_same_events_in_every_batch_and_counts_the_others() -> None:
    dataflow = PROJECT.dataflow()
    for registration in PROJECT.registrations(QUERIES, "document"):
        dataflow.register(registration)
    batches = [live_batch(PROJECT.annotators, events(first, first + 50)) for first in range(0, 500, 50)]
    found: dict[str, list[dict[str, Any]]] = {}
    for batch in [*batches, Batch(ends=True)]:
        for label, table in dataflow.process(batch).matches.items():
            found.setdefault(label, []).extend(rows(table))
    chosen = [row["x"] for row in found["all"] if is_looked_at(row["_events"]["e"][0], 0.2)]
    assert [row["x"] for row in found["some"]] == chosen
    assert {row["_sampled"] for row in found["some"]} == {0.2}
    assert not any("_sampled" in row for row in found["all"])
    assert [row["n"] for row in found["total"]] == [len(chosen)]  # as they are: nothing is scaled up
    shed = dataflow.flows["some"].shed
    assert shed is not None
    assert (shed.read, shed.passed) == (500, 500 - len(chosen))
    assert [row["x"] for row in PROJECT.evaluate(QUERIES.split(";")[1], events(0, 500))] == chosen
