"""Matches with repetitions wait for those that come before them, and are reported in output order."""

from __future__ import annotations

from kaicep.cep import build_operator
from support.letter_readings import readings, text_of
from support.letters import agreed
from support.operators import answer, compiled, events, feed, short


def test_a_match_waits_for_one_that_began_before_and_may_still_grow() -> None:
    query = compiled(text_of("?a -> ?b{1,; ->}"))
    operator = build_operator(query)
    stream = readings("a b@1 c@2 b@3")
    assert feed(operator, query, stream, until=10) == []
    assert operator.held_since is not None
    assert events(feed(operator, query, [], until=30)) == ["a1 b2 b4"]
    assert operator.held_since is None


def test_longer_matches_come_first_and_each_once() -> None:
    """That a b is in the one repetition of the group or in another makes no other match."""
    assert agreed("?a ->> (?b{1,2; ->>}~){1,2; ->>}~", "a b b") == ["a1 b2", "a1 b2 b3", "a1 b3"]


def test_a_repetition_is_a_list_and_what_is_unbound_is_none() -> None:
    text = text_of("?a -> ?b{0,1; ->} -> ?d", select="?a.n AS n, COUNT(?b) AS k, ?d.n AS m")
    rows = answer(compiled(text), readings("a1 b2 d3 a4 d5"))
    assert short(rows) == [{"n": 1, "k": 1, "m": 3}, {"n": 4, "k": 0, "m": 5}]
    assert [row["_events"] for row in rows] == [
        {"a": ["a1"], "b": ["b2"], "d": ["d3"]},
        {"a": ["a4"], "b": [], "d": ["d5"]},
    ]


def test_having_speaks_of_whole_repetitions() -> None:
    assert agreed("?a ->> ?b{1,2; ->>}~", "a b1 b5", "HAVING SUM(?b.x) > 5") == ["a1 b2 b3"]
