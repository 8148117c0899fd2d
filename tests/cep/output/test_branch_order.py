"""The sides of ORs by which matches of the same events are ordered (docs/semantics.md 3.5, 3.16)."""

from __future__ import annotations

import numpy as np
import pytest
from kaicep.cep.output.branch_order import branch_orders
from kaicep.cep.output.match_table import MatchTable
from support.automata import parsed
from support.frames import candidates_at
from support.letters import answer, expected, question, written


def free(pattern: str, *clauses: str) -> str:
    """A question in which every event is a candidate of every variable."""
    lines = question(pattern, *clauses).splitlines()
    return "\n".join(line for line in lines if not line.startswith("FILTER"))


@pytest.mark.parametrize(
    ("pattern", "events", "matches"),
    [
        ("?a OR ?b", "x", ["x1", "x1"]),
        ("?c, (?a OR ?b)", "x x", ["x1 x2", "x1 x2"]),
        ("(?a OR ?b), (?c OR ?d)", "x x", ["x1 x2"] * 4),
        ("(?a OR (?b OR ?c)), ?d", "x x", ["x1 x2"] * 3),
        ("(?a OR ?b){2; ->>}", "x x", ["x1 x2", "x1 x2", "x2 x1", "x1 x2"]),
        ("(?a OR ?b), ?c+", "x x", ["x1 x2"] * 2),
    ],
)
def test_sides_come_in_the_order_of_the_text(pattern: str, events: str, matches: list[str]) -> None:
    text = free(pattern)
    found = answer(text, events)
    assert written(found) == matches
    assert [row["_events"] for row in found] == [row["_events"] for row in expected(text, events)]
    bound = ["".join(v for v in "abcd" if row["_events"].get(v)) for row in found]
    if "{2" not in pattern:
        assert bound == sorted(bound)


def test_from_does_not_say_which_side_comes_first() -> None:
    text = free("(?a OR ?b), ?c").replace("(?a, letters), (?b, letters)", "(?b, letters), (?a, letters)")
    assert [bool(row["_events"]["a"]) for row in answer(text, "x x")] == [True, False]
    assert [bool(row["_events"]["a"]) for row in expected(text, "x x")] == [True, False]


@pytest.mark.parametrize("pattern", ["(?a OR ?b), ?c", "(?a OR ?b), ?c+"], ids=["joins", "automata"])
@pytest.mark.parametrize("clause", ["LIMIT 1", "AFTER MATCH SKIP PAST LAST EVENT", "AFTER MATCH CONSUME"])
def test_what_chooses_among_matches_takes_the_left_side(pattern: str, clause: str) -> None:
    text = free(pattern, clause)
    found = answer(text, "x x")
    assert [bool(row["_events"]["a"]) for row in found] == [True]
    assert [row["_events"] for row in found] == [row["_events"] for row in expected(text, "x x")]


def test_distinct_keeps_the_row_of_the_left_side() -> None:
    text = free("(?a OR ?b), ?c").replace("SELECT COUNT(?a) AS n", "SELECT DISTINCT ?c.kind AS kind")
    (row,) = answer(text, "x x")
    assert row["_events"]["a"]
    assert [r["_events"] for r in expected(text, "x x")] == [row["_events"]]


def test_a_repeated_or_is_told_event_by_event() -> None:
    once, again = branch_orders(parsed("(?a OR ?b) -> (?c OR ?d){2; ->}"))
    assert (once.iterated, again.iterated) == (False, True)
    candidates = {v: candidates_at([1, 2, 3]) for v in "abcd"}
    rows = {"a": np.array([0, -1]), "b": np.array([-1, 0]), "c": np.array([1, 2, 2]), "d": np.array([1])}
    offsets = {"c": np.array([0, 2, 3]), "d": np.array([0, 0, 1])}
    matches = MatchTable(np.zeros(2, dtype=int), rows, np.array([3, 3]), offsets)
    assert once.sides(matches, candidates).to_list() == [0, 1]
    assert again.sides(matches, candidates).to_list() == [[2, 0, 0], [2, 1, 0]]
