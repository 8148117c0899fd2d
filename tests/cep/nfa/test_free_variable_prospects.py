"""Partial matches of a SEQ beside variables that it does not name."""

from __future__ import annotations

from datetime import timedelta

from kaicep import Project
from support.mode_queries import CONTENT, at

PROJECT = Project.parse(CONTENT)
WHERE = "FILTER (?a.k = 'a') FILTER (?b.k = 'b') FILTER (?f.k = 'f') FILTER (?n.k = 'n') "
QUERY = (
    "CREATE QUERY q AS SELECT ?f.id FROM (?a, S), (?b, S), (?f, S), (?n, S) WHERE { %s %s WINDOW (?a, ?b, ?f, 9s) };"
)
PARTIAL = "SELECT ?p._bound AS b, ?p.a_id AS a, ?p.f_id AS f, ?p._until AS u FROM (?p, PARTIAL(q)) ORDER BY ?p._bound"


def held(pattern: str, second: float, *came: str) -> list[tuple[str, float | None]]:
    """What is bound, and until which second, of letters that come second by second."""
    rows = [{"id": f"{k}{i}", "t": at(i).isoformat(), "k": k, "x": 1, "p": 1} for i, k in enumerate(came)]
    asked = PROJECT.evaluate(QUERY % (WHERE, pattern) + PARTIAL, {"S": rows}, ask_at=at(second))
    ends = [(row["u"] - at(0)) / timedelta(seconds=1) for row in asked]
    return list(zip([row["b"] for row in asked], ends, strict=True))


def test_everything_that_is_bound_bounds_what_is_to_come() -> None:
    assert held("SEQ (?a, NOT ?n, ?b)", 2, "f", "a") == [("a", 10), ("a f", 9), ("f", 9)]


def test_a_complete_seq_waits_for_what_it_does_not_name() -> None:
    assert held("SEQ (?a -> NOT ?n -> ?b)", 3, "a", "b") == [("a b", 9)]
    assert held("SEQ (?a -> NOT ?n -> ?b)", 3, "a", "b", "f") == [("a b", 9), ("f", 11)]


def test_of_what_may_all_be_left_out_something_has_to_come() -> None:
    assert held("SEQ ((?a -> ?b -> NOT ?n)*~)", 2, "f") == [("f", 9)]


def test_a_not_is_violated_when_its_joins_are_decided() -> None:
    joined = "JOIN (?n.x = ?f.x) SEQ (?a, NOT ?n, ?b)"
    assert held(joined, 4, "a", "n", "b", "f") == [("a", 9), ("a b", 9), ("f", 12)]


def test_nothing_lies_behind_the_moment_of_a_timer() -> None:
    timed = "SEQ (?a, NOT ?n, ?b, AFTER 2s)"
    assert held(timed, 2.5, "a", "b") == [("a", 9), ("a b", 3)]
    assert held(timed, 3.5, "a", "b") == [("a", 9)]
