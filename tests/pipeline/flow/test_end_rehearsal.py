"""What the end of the streams would bring: tried on a copy."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kaicep import Project
from kaicep.pipeline.flow.end_rehearsal import rows_at_end
from support.batches import ended, processed

START = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
QUERIES = (
    "CREATE QUERY mean AS SELECT AVG(?e.x) AS mean FROM (?e, air) WINDOW (?e, batch, 10s)",
    "CREATE QUERY high AS SELECT ?m.mean AS mean FROM (?m, mean) FILTER (?m.mean > 5)",
    "CREATE QUERY plain AS SELECT ?e.x AS x FROM (?e, air)",
    "CREATE QUERY runs AS SELECT LAST(?b.x) AS x FROM (?a, air), (?b, air) SEQ (?a, ?b+) WINDOW (?a, ?b, 3s)",
    "CREATE QUERY absent AS SELECT ?a.x AS x FROM (?a, air), (?n, door) SEQ (?a, NOT ?n FOR 20s) LIMIT 2",
    "CREATE QUERY held AS SELECT ?e.x AS x FROM (?e, air) OUTPUT ALL EVERY 10s",
)


def test_rows_at_the_end_are_those_that_the_end_brings() -> None:
    """Of every kind of operator, of queries that read another's rows, and without changing anything."""
    project = Project.parse({"streams": {"air": {**STREAM, "lateness": "1s"}, "door": STREAM}})
    dataflow = project.dataflow()
    for registration in project.registrations("; ".join(QUERIES), "query"):
        dataflow.register(registration)
    assert rows_at_end(dataflow) == {}
    seconds = (1, 2, 3, 11, 13, 14)
    processed(dataflow, {"air": [{"at": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in seconds]})
    state = dataflow.snapshot()
    found = rows_at_end(dataflow)
    assert dataflow.snapshot() == state
    assert found == {label: rows.num_rows for label, rows in ended(dataflow).items() if rows.num_rows}
    assert set(found) == {"mean", "high", "plain", "runs", "absent", "held"}
    assert rows_at_end(dataflow) == {}
