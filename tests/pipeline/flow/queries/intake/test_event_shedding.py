"""A query that sheds looks at the same events however they come, and says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kaicep import Project
from kaicep.pipeline.flow import Batch, live_batch
from kaicep.pipeline.sinks import rows
from kaicep.pipeline.sources import raw_table
from oracle.evaluate import Oracle
from oracle.shedding import is_looked_at
from support.sampling import some_of

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
    assert [row["_sampled"] for row in found["total"]] == [0.2]  # what it reads are rows of a sample
    shed = dataflow.flows["some"].intake.shed
    assert shed is not None
    assert (shed.read, shed.passed) == (500, 500 - len(chosen))
    assert [row["x"] for row in PROJECT.evaluate(QUERIES.split(";")[1], events(0, 500))] == chosen


READERS = """
CREATE QUERY some AS SELECT ?e.x AS x FROM (?e, air);
CREATE QUERY less AS SELECT ?e.x AS x FROM (?e, air);
CREATE CONTEXTS plant (calm DEFAULT, busy);
CREATE RULE relays ON some DO EMIT relayed(?row.x AS x), CALL ops(?row.x AS x), INITIATE CONTEXT plant.busy;
CREATE QUERY both AS SELECT ?s.x AS x FROM (?s, some), (?l, less) JOIN (?s.x = ?l.x)
WINDOW (?s, ?l, 1min);
CREATE QUERY relayed_ones AS SELECT ?r.x AS x FROM (?r, relayed);
CREATE QUERY while_busy AS SELECT ?e.x AS x FROM (?e, air) IN CONTEXT plant.busy;
CREATE QUERY all AS SELECT ?e.x AS x FROM (?e, air)
"""
SHARES = {"some": {"shed": "sample 20%"}, "less": {"shed": "sample 10%"}}
SETTINGS = {
    "streams": {"air": STREAM},
    "queries": SHARES,
    "actions": {"ops": {"webhook": {"url": "http://127.0.0.1:9/"}}},
}


@pytest.mark.parametrize(
    ("last", "share"), some_of([("both", 0.1), ("relayed_ones", 0.2), ("while_busy", 0.2), ("all", None)], 2)
)  # fmt: skip
def test_the_share_is_said_by_all_that_follows_from_a_sample(last: str, share: float | None) -> None:
    """Of queries that read its rows, that rules emit events for, that are in contexts which change with it."""
    statements = READERS.split(";")
    place = next(n for n, text in enumerate(statements) if f"QUERY {last} " in text)
    text = ";".join([*statements[:4], statements[place]])
    given = Project.parse(SETTINGS).evaluate(text, events(0, 300))
    assert given
    assert {row.get("_sampled") for row in given} == {share}
    streams = {name: table.to_pylist() for name, table in events(0, 300).items()}
    assert [row.get("_sampled") for row in Oracle(SETTINGS).evaluate(text, streams)] == [share] * len(given)


def test_calls_say_which_share_of_the_events_stands_behind_them() -> None:
    calls = Project.parse(SETTINGS).evaluate(";".join(READERS.split(";")[:4]), events(0, 100)).calls
    assert calls
    assert {call["arguments"]["_sampled"] for call in calls} == {0.2}
