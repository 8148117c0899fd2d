"""One registered query between its streams and its rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kaicep import Project
from kaicep.cep.query_operator import QueryOperator
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.registration import Registration
from support import letters
from support.batches import ended, processed

BEGIN = datetime(2012, 5, 4, 9, 30, tzinfo=UTC)
PROJECT = {
    "streams": {
        "readings": {
            "event_type": "<urn:Reading>",
            "time": {"attribute": "timestamp"},
            "attributes": {"x": {"datatype": "xsd:double"}},
        }
    }
}


def registered(text: str) -> Dataflow:
    """A dataflow that answers a document; its queries are called q0, q1 and so on."""
    project = Project.parse(PROJECT)
    dataflow = project.dataflow()
    for i, query in enumerate(project.compile(text)):
        dataflow.register(Registration(query, f"q{i}"))
    return dataflow


def fed(dataflow: Dataflow, label: str, *seconds: float) -> list[Any]:
    """The first item of the rows that readings at these times bring."""
    raw = [{"timestamp": (BEGIN + timedelta(seconds=t)).isoformat(), "x": t} for t in seconds]
    first = processed(dataflow, {"readings": raw}).matches[label].column(0)
    return list(first.to_pylist())


@pytest.mark.parametrize("window", ["batch, 10s", "hopping, 10s, 10s", "cumulate, 10s, 10s", "session, 9s"])
def test_a_query_goes_on_until_the_windows_that_within_cuts_are_reported(window: str) -> None:
    dataflow = registered(f"SELECT COUNT(?e) AS n WITHIN (, 2012-05-04T09:30:03Z] WINDOW (?e, {window})")
    assert fed(dataflow, "q0", 1, 2, 4, 5) == []
    assert not dataflow.flows["q0"].ended
    assert fed(dataflow, "q0", 11) == [2]
    assert dataflow.flows["q0"].ended


def test_an_operator_is_asked_only_when_there_is_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is given something, a moment has come that it waits for, or the streams have ended."""
    clauses = ["COUNT(?e) AS n {} WINDOW (?e, batch, 10s)", "?e.x {} OUTPUT LAST EVERY 5 MATCHES", "?e.x {}"]
    dataflow = registered("; ".join(f"SELECT {c.format('FILTER (?e.x > 5) FILTER (?e.x < 8)')}" for c in clauses))
    asked: list[int] = []
    ask = QueryOperator.pieces

    def noted(operator: QueryOperator, *given: Any) -> Iterator[Any]:
        asked.append(1)
        return ask(operator, *given)

    monkeypatch.setattr(QueryOperator, "pieces", noted)

    def taken(*seconds: float) -> tuple[int, list[int]]:
        asked.clear()
        raw = [{"timestamp": (BEGIN + timedelta(seconds=t)).isoformat(), "x": t} for t in seconds]
        matches = processed(dataflow, {"readings": raw}).matches.values()
        return len(asked), [rows.num_rows for rows in matches]

    assert taken(1, 2) == (0, [0, 0, 0])
    assert taken(6, 7, 7.5) == (3, [0, 0, 2])
    assert taken(9) == (3, [0, 0, 1]), "all held the last one back until now"
    assert taken(11) == (1, [1, 0, 0]), "the window has ended"
    assert [rows.num_rows for rows in ended(dataflow).values()] == [0, 1, 0]


def test_a_query_over_rows_that_output_holds_back_waits_for_them() -> None:
    """The stream that a query forms has its own watermark: what is held back is not late."""
    first = "CREATE QUERY busy AS SELECT ?e.x AS x OUTPUT ALL EVERY 10s;"
    last = "SELECT ?b.x AS same FROM (?b, busy), (?e, readings) JOIN (?b.x = ?e.x) WINDOW (?b, ?e, 1s)"
    dataflow = registered(first + last)
    assert fed(dataflow, "q1", 1, 2, 4) == []
    assert fed(dataflow, "q1", 12) == [1.0, 2.0, 4.0]


def test_a_watched_query_goes_on_from_its_snapshot() -> None:
    """It holds all columns of its streams, doubles beside integers too, and is the query that was registered."""
    integers = PROJECT["streams"]["readings"] | {"attributes": {"x": {"datatype": "xsd:integer"}}}
    project = Project.parse({"streams": {"readings": integers}})
    text = "CREATE QUERY sums AS SELECT ?e.x + 1 AS s; SELECT ?a._time AS at FROM (?a, sums), (?b, sums) SEQ (?a, ?b)"
    sums, pairs = project.compile(f"{text} WINDOW (?a, ?b, 1min)")
    registrations = [Registration(sums, "sums"), Registration(pairs, "pairs", watched=True)]
    dataflow = project.dataflow()
    for registration in registrations:
        dataflow.register(registration)
    assert project.dataflow().restore(dataflow.snapshot(), registrations) == []


def test_a_query_in_contexts_says_how_much_it_was_given() -> None:
    """Of the events of its streams; those with an unbound key are counted once, however many rounds are needed."""
    house = letters.project()
    flow = house.dataflow()
    text = """CREATE CONTEXTS mood (calm DEFAULT, busy) BY group;
    CREATE QUERY rise AS SWITCH CONTEXT busy FROM (?e, letters) IN CONTEXT calm FILTER (?e.kind = 'b');
    CREATE QUERY some AS SELECT ?e.name FROM (?e, letters) IN CONTEXT busy;
    CREATE QUERY every AS SELECT ?e.name FROM (?e, letters)"""
    for registration in house.registrations(text, "q"):
        flow.register(registration)
    processed(flow, letters.stream("a/left b/left c/left d e/right f/left g"))
    ended(flow)
    assert flow.flows["every"].given is None
    assert flow.flows["some"].given == (7, 2, 2)
    assert flow.flows["rise"].given == (7, 3, 2)
    assert flow.queries.contexts["mood"].history.open_windows == {"busy": 1}


def test_what_for_does_not_name_counts_also_when_no_context_holds() -> None:
    """Nothing may be passed over: the first event lay in a window, and the others may come whenever they like."""
    dataflow = registered(
        "CREATE CONTEXTS mood (calm DEFAULT, busy);"
        "INITIATE CONTEXT busy FROM (?e, readings) FILTER (?e.x = 1);"
        "TERMINATE CONTEXT busy FROM (?e, readings) FILTER (?e.x = 2);"
        "SELECT ?b.x FROM (?a, readings), (?b, readings) IN CONTEXT busy FOR ?a SEQ (?a, ?b) WINDOW (?a, ?b, 9s)"
    )
    seconds = [value for t in range(8) for value in fed(dataflow, "q2", t)]
    assert seconds == [3, 4, 5, 6]
    assert [row["x"] for row in ended(dataflow)["q2"].to_pylist()] == [7]
