"""Queries that wait for each other: one that fails stops all of them, and nobody else."""

from __future__ import annotations

from kaicep import PipelineError
from support.answering import answers, graph_of

CIRCLE = """
CREATE CONTEXTS load (low DEFAULT, high);
CREATE QUERY up AS INITIATE CONTEXT high FROM (?e, air) IN CONTEXT low WHERE { FILTER (?e.x = 1) };
CREATE QUERY down AS TERMINATE CONTEXT high FROM (?e, air) IN CONTEXT high WHERE { FILTER (?e.x = 2) };
CREATE QUERY told AS SELECT ?e.x AS x FROM (?e, air) IN CONTEXT high;
CREATE QUERY other AS SELECT ?e.x AS x FROM (?e, air)
"""


def test_what_waits_for_each_other_is_answered_together() -> None:
    rows = dict(answers(graph_of(CIRCLE)))
    assert ([row["x"] for row in rows["told"]], [row["x"] for row in rows["other"]]) == ([2], [0, 1, 2, 3])


def test_one_that_fails_stops_all_that_wait_for_it() -> None:
    queries = graph_of(CIRCLE)
    queries.flows["up"].fail(PipelineError("no more"))
    assert [label for label, rows in answers(queries) if rows] == ["other"]
    failures = {label: flow.failure.message for label, flow in queries.flows.items() if flow.failure is not None}
    assert failures.keys() == {"up", "down", "told"}
    assert failures["told"] == "'told' is in contexts derived by 'up', which is parked"
