"""Answering: queries level by level, rows of one as events of another, by one worker or several."""

from __future__ import annotations

import pyarrow as pa
import pytest
from kaicep.cep import END_OF_TIME, Limits
from kaicep.cep.joins import pattern_operator
from kaicep.cep.output import row_pieces
from kaicep.pipeline.flow.answering import QueryAnswering, QueryRows
from kaicep.pipeline.flow.queries import QueryGraph, QueryIsolation, QueryRuntime
from support.answering import PROJECT, READERS_OF_ONE, air, answers, graph_of


@pytest.mark.parametrize("workers", [1, 3])
def test_readers_are_answered_after_what_they_read(workers: int) -> None:
    assert answers(graph_of(READERS_OF_ONE), workers) == [
        ("one", [{"x": 2}, {"x": 3}]),
        ("other", [{"x": 0}, {"x": 1}, {"x": 2}, {"x": 3}]),
        ("two", [{"y": 3}]),
    ]


def test_suspended_queries_are_given_nothing() -> None:
    queries = graph_of(READERS_OF_ONE)
    queries.suspended.add("other")
    assert [label for label, _ in answers(queries)] == ["one", "two"]


PAIRS = "CREATE QUERY pairs AS SELECT ?a.x AS x, ?b.x AS y FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 1h)"
READERS = (
    PAIRS,
    "CREATE QUERY high AS SELECT ?p.x AS x FROM (?p, pairs) FILTER (?p.x > 2)",
    "CREATE QUERY count AS SELECT COUNT(?p) AS n FROM (?p, pairs) WINDOW (?p, batch, 4s)",
    "CREATE QUERY both AS SELECT ?p.y AS y FROM (?p, pairs), (?e, air) JOIN (?p.y = ?e.x) WINDOW (?p, ?e, 2s)",
    "CREATE QUERY last AS SELECT ?h.x AS x, ?c.n AS n FROM (?h, high), (?c, count) SEQ (?h, ?c) WINDOW (?h, ?c, 4s)",
    "CREATE QUERY sums AS SELECT ?a.x + ?b.x AS sum FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 9s)",
)


def whole_and_pieces(monkeypatch: pytest.MonkeyPatch, workers: int) -> list[list[QueryRows]]:
    """What the queries of `READERS` give for one batch, with much at once and with little."""
    found = []
    for little in (False, True):
        with monkeypatch.context() as patched:
            if little:
                patched.setattr(row_pieces, "ROWS_AT_ONCE", 3)
                patched.setattr(pattern_operator, "_MATCHES", 4)
            queries = graph_of("; ".join(READERS))
            answering = QueryAnswering(queries, QueryIsolation(isolated=True), workers)
            found.append(list(answering.answer({"air": air(12)}, {"air": END_OF_TIME})))
            answering.close()
    return found


@pytest.mark.parametrize("workers", [1, 3])
def test_rows_in_pieces_are_those_of_all_at_once(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    """Of the readers too, and of their readers; whoever reads two streams waits for the slower one."""
    whole, pieces = whole_and_pieces(monkeypatch, workers)
    assert {answer.label for answer in whole if answer.last} == {"pairs", "high", "count", "both", "last", "sums"}
    assert len(whole) == 6
    for answer in whole:
        own = [piece for piece in pieces if piece.label == answer.label]
        assert pa.concat_tables([piece.rows for piece in own]).to_pylist() == answer.rows.to_pylist(), answer.label
        assert answer.rows.num_rows, answer.label
        assert [piece.last for piece in own] == [False] * (len(own) - 1) + [True]
        # The events of one moment are taken together, and twelve end with the last.
        assert max(piece.rows.num_rows for piece in own) <= 3 + 12 or answer.label == "sums"


def test_an_item_whose_integers_may_leave_64_bits_has_one_column_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    _, pieces = whole_and_pieces(monkeypatch, 1)
    assert [piece.last for piece in pieces if piece.label == "sums"] == [True]


def test_a_query_that_fails_behind_its_first_rows_has_given_these(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its readers are stopped with it, the others are not."""
    monkeypatch.setattr(row_pieces, "ROWS_AT_ONCE", 3)
    monkeypatch.setattr(pattern_operator, "_MATCHES", 4)
    queries = QueryGraph()
    for registration in PROJECT.registrations("; ".join(READERS[:2] + READERS[5:]), "query"):
        limits = Limits(rows_per_batch=20 if registration.label == "pairs" else 1_000)
        queries.add(QueryRuntime(registration, PROJECT.shape, PROJECT.knowledge, PROJECT.options, limits))
    answering = QueryAnswering(queries, QueryIsolation(isolated=True))
    found = list(answering.answer({"air": air(12)}, {"air": END_OF_TIME}))
    rows = {label: sum(answer.rows.num_rows for answer in found if answer.label == label) for label in queries.flows}
    assert 0 < rows["pairs"] <= 20
    assert rows["sums"] == 63
    assert found[-1].last
    failures = [flow.failure.message if flow.failure else None for flow in queries.flows.values()]
    assert failures == ["more than 20 matches became true in one batch", "'high' reads 'pairs', which is parked", None]
