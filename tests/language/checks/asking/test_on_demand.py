"""Queries that are asked once: what they may not say, each refusal with its place and way out."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.errors import QueryTypeError
from support.context_examples import examples

CONTENT = next(e for e in examples("state_examples") if e.name == "9-state-filter-query-is-empty").content
PROJECT = Project.parse(CONTENT)
REGISTERED = (
    "CREATE QUERY q AS SELECT ?a.k FROM (?a, S), (?b, S), (?n, S) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 1h); "
    "CREATE QUERY total AS SELECT COUNT(?a) AS n FROM (?a, S) WINDOW (?a, sliding, 1h); "
    "CREATE QUERY again AS SELECT ?a.k FROM (?a, S), (?b, S) SEQ (?a, EVERY 5s UNTIL ?b); "
    "CREATE QUERY tied AS SELECT ?a.k FROM (?a, S), (?b, S), (?c, S) SEQ (?a -> ?b) WINDOW (?a, ?b, ?c, 1h); "
    "CREATE RULE tell ON q DO CALL x(?row.k AS k); "
)


@pytest.mark.parametrize(
    ("asked", "message", "hint"),
    [
        ("SELECT ?x FROM (?x, STATE(qq))", "no query 'qq' is registered", "did you mean 'q'"),
        ("SELECT ?x FROM (?x, STATE(tell))", "of the state of 'tell': it is a rule", "the query that it is ON"),
        ("SELECT ?x FROM (?x, PARTIAL(zzz))", "no query 'zzz' is registered", "known are again, q, tied and total"),
        ("SELECT ?x FROM (?x, STATE(q.?n))", "no event of 'q' is bound to ?n", "it binds ?a and ?b"),
        ("SELECT ?x FROM (?x, PARTIAL(total))", "is an aggregate and has no matches", "STATE(total)"),
        ("SELECT ?x FROM (?x, S)", "'S' goes on, and this query is asked once", "STATE(…)"),
        ("SELECT ?x FROM (?x, q)", "'q' goes on, and this query is asked once", "STATE(q)"),
        ("SELECT ?x.k FILTER (?x.k > 1)", "FROM is missing", "STATE(again)"),
        ("SELECT ?x FROM (?x, STATE(q)) WITHIN (now, )", "has no WITHIN", "leave WITHIN out"),
        ("SELECT ?x FROM (?x, STATE(q)) OUTPUT ALL EVERY 5s", "answers at once", "leave OUTPUT out"),
        ("CREATE QUERY z AS SELECT ?x FROM (?x, STATE(q))", "has no output to name", "begin with SELECT"),
    ],
)
def test_a_query_that_is_asked_is_refused(asked: str, message: str, hint: str) -> None:
    with pytest.raises(QueryTypeError) as raised:
        PROJECT.compile(REGISTERED + asked, asked=True)
    assert message in str(raised.value)
    assert hint in str(raised.value)


@pytest.mark.parametrize("text", ["SELECT ?x FROM (?x, STATE(q))", "SELECT ?x FROM (?x, PARTIAL(q))"])
def test_a_registered_query_reads_no_state(text: str) -> None:
    with pytest.raises(QueryTypeError, match="is as it is at one moment"):
        PROJECT.compile(f"CREATE QUERY q AS SELECT ?a.k FROM (?a, S); {text}")


def test_a_registered_query_has_no_order() -> None:
    with pytest.raises(QueryTypeError, match="rows that go on coming have no other order"):
        PROJECT.compile("SELECT ?a.k FROM (?a, S) ORDER BY DESC(?a.k)")
