"""One moment for all that a query reads: states and open contexts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kaicep import Project
from kaicep.errors import PipelineError
from kaicep.pipeline.asking import watched_registrations
from kaicep.pipeline.flow import Registration
from support.timer_queries import CONTENT

PROJECT = Project.parse(CONTENT)
BASE = datetime(2024, 1, 1, tzinfo=UTC)
MOODS = """
CREATE CONTEXTS mood (calm DEFAULT, busy);
INITIATE CONTEXT busy FROM (?e, S) FILTER (?e.k = 'a');
TERMINATE CONTEXT busy FROM (?e, S) FILTER (?e.k = 'b');
CREATE QUERY q AS SELECT ?e.id FROM (?e, S), (?f, S) IN CONTEXT busy SEQ (?e, ?f) WINDOW (?e, ?f, 1h);
"""
EVENTS = {
    "S": [
        {"id": f"e{i}", "t": (BASE + timedelta(seconds=i)).isoformat(), "k": k}
        for i, k in enumerate("cacbc")
    ]
}  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "context", "held"), [(0, [], []), (1, ["busy"], []), (2, ["busy"], ["e2"]), (3, ["calm"], [])]
)
def test_states_and_contexts_are_of_one_moment(seconds: int, context: list[str], held: list[str]) -> None:
    at = BASE + timedelta(seconds=seconds)
    rows = PROJECT.evaluate(f"{MOODS} SELECT ?c.context FROM (?c, CONTEXTS(mood))", EVENTS, ask_at=at)
    assert [row["context"] for row in rows] == context
    rows = PROJECT.evaluate(f"{MOODS} SELECT ?x.id FROM (?x, STATE(q))", EVENTS, ask_at=at)
    assert [row["id"] for row in rows] == held


@pytest.mark.parametrize(("seconds", "context"), [(4, ["busy"]), (5, []), (9, [])])
def test_no_window_is_open_behind_the_bounds_of_a_set(seconds: int, context: list[str]) -> None:
    bounds = "WITHIN (2024-01-01T00:00:00Z, 2024-01-01T00:00:05Z]"
    text = MOODS.replace("busy);", f"busy) {bounds};").replace("'b'", "'d'")
    rows = PROJECT.evaluate(
        f"{text} SELECT ?c.context FROM (?c, CONTEXTS(mood))", EVENTS, ask_at=BASE + timedelta(seconds=seconds)
    )
    assert [row["context"] for row in rows] == context


def test_a_query_that_is_not_registered_has_no_state() -> None:
    *_, asked = PROJECT.compile(f"{MOODS} SELECT ?x.id FROM (?x, STATE(q))", asked=True)
    with pytest.raises(PipelineError, match="no query 'q' is registered"):
        watched_registrations([], asked)


def test_a_rule_has_no_state() -> None:
    *_, asked = PROJECT.compile(f"{MOODS} SELECT ?x.id FROM (?x, STATE(q))", asked=True)
    text = "CREATE QUERY pairs AS SELECT ?e.id FROM (?e, S); CREATE RULE q ON pairs AS ?p DO EMIT told (?p.id AS id)"
    rules = [Registration(query, f"{i}") for i, query in enumerate(PROJECT.compile(text))]
    with pytest.raises(PipelineError, match="'q' is a rule, which has no state"):
        watched_registrations(rules, asked)


@pytest.mark.parametrize(("seconds", "held"), [(1.2, []), (2.2, ["e2"]), (3.2, [])])
def test_limit_counts_rows_that_sliding_windows_leave(seconds: float, held: list[str]) -> None:
    """`a1` and `b3` are too far apart for a row; that of `c2` and `b3` is the only one."""
    text = (
        "CREATE QUERY q AS SELECT ?e.id FROM (?e, S), (?f, S) WHERE { FILTER (?e.k != 'b') FILTER (?f.k = 'b') "
        "JOIN (?e.k != ?f.k) WINDOW (?e, sliding, 1.1s) WINDOW (?f, sliding, 1s) } LIMIT 1;"
    )
    rows = PROJECT.evaluate(
        f"{text} SELECT ?x.id FROM (?x, STATE(q))", EVENTS, ask_at=BASE + timedelta(seconds=seconds)
    )
    assert [row["id"] for row in rows if row["id"] != "e1"] == held


def test_what_output_keeps_of_another_group_holds_nothing_up() -> None:
    """Both rows of `c` are there at the moment, though that of `a`, of the same time, waits for another."""
    text = (
        "CREATE QUERY pairs AS SELECT ?e.id FROM (?e, S) GROUP BY ?e.k OUTPUT ALL EVERY 2 matches;"
        "CREATE QUERY q AS SELECT COUNT(?p) AS n FROM (?p, pairs) WINDOW (?p, sliding, 5s);"
        "SELECT ?x.id FROM (?x, STATE(q))"
    )
    events = {"S": [{"id": f"{k}{i}", "t": BASE.isoformat(), "k": k} for i, k in enumerate("cac")]}
    assert {row["id"] for row in PROJECT.evaluate(text, events, ask_at=BASE)} == {"c0", "c2"}
