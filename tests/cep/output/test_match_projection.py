"""From matches as rows of candidates to the columns of items, in output order (docs/semantics.md 3.16)."""

from __future__ import annotations

import numpy as np
from kaicep.cep import build_operator
from kaicep.cep.output import UNBOUND, MatchProjection, MatchTable, match_name
from kaicep.language.checks.query_compiler import check_document
from kaicep.language.nodes import aggregates_of
from support.frames import candidates_at
from support.letter_readings import ask, readings, text_of
from support.operators import STREAMS, compiled, feed, short


def test_an_event_is_a_run_of_one_for_aggregates_and_what_is_unbound_a_run_of_none() -> None:
    select = "COUNT(?b) AS c, SUM(?b.n) AS s, AVG(?b.n) AS m, LIST(?b.n) AS l, FIRST(?b.n) AS f"
    text = text_of("?a -> (?b OR ?d)", "HAVING (COUNT(?a) = 1 AND COUNT(?b) + COUNT(?d) = 1)", select=select)
    [(_, query)] = check_document(text, STREAMS)
    rows = feed(build_operator(query), query, readings("a b4 a d a b"))
    assert short(rows) == [
        {"c": 1, "s": 4, "m": 4.0, "l": [4], "f": 4},
        {"c": 0, "s": 0, "m": None, "l": None, "f": None},
        {"c": 1, "s": 0, "m": None, "l": None, "f": None},
    ]


def test_what_the_other_side_of_an_or_binds_is_unbound_and_its_joins_are_not_asked() -> None:
    text = text_of("?a -> (?b OR ?d)", "JOIN (?b.n > ?a.n)", "JOIN (?d.n > ?a.n)", select="?b.n AS b, ?d.n AS d")
    query = compiled(text)
    rows = feed(build_operator(query), query, readings("a5 d3 d7 b9 a1 b2"))
    assert short(rows) == [{"b": None, "d": 7}, {"b": 2, "d": None}]
    assert [row["_events"] for row in rows] == [
        {"a": ["a1"], "b": [], "d": ["d3"]},
        {"a": ["a5"], "b": ["b6"], "d": []},
    ]


def test_having_over_what_an_or_leaves_unbound_is_not_true() -> None:
    assert ask("?a, (?b OR ?d)", "a b1 d1", "HAVING (?b.n = 1)") == ["a1 b2"]
    assert ask("?a, (?b OR ?d)", "a b1 d1", "HAVING (?b.n = 1 OR NOT BOUND(?b.n))") == ["a1 b2", "a1 d3"]


def test_matches_come_by_time_last_event_first_event_length_and_events() -> None:
    """Of equal first and last events the longer match comes first, then that whose events are earlier."""
    query = compiled(
        "SELECT COUNT(?b) AS k FROM (?a, readings), (?b, readings) SEQ (?a ->> ?b{1,3; ->>}~) WINDOW (?a, ?b, 9s)"
    )
    a, b = candidates_at([1, 2]), candidates_at([3, 4, 5, 6])
    repetitions = [[0, 3], [0, 1, 3], [1, 3], [0, 2, 3], [3]]
    offsets = np.cumsum([0, *map(len, repetitions)])
    rows = {"a": np.array([0, 0, 1, 0, 1]), "b": np.array([row for one in repetitions for row in one])}
    matches = MatchTable(np.zeros(5, dtype=int), rows, np.full(5, 6), {"b": offsets})
    projection = MatchProjection(query, partial=True)
    candidates = {"a": a, "b": b}
    ordered = projection.sorted(matches, candidates, once=True)
    assert ordered.lists("b", np.arange(4)).to_list() == [[0, 1, 3], [0, 2, 3], [0, 3], [1, 3], [3]]
    (count,) = aggregates_of(query.items[0].value)
    assert projection.project(ordered, candidates).frame[match_name(count)].to_list() == [3, 3, 2, 2, 1]


def test_matches_of_the_same_events_are_one() -> None:
    query = compiled("SELECT COUNT(?b) AS k FROM (?a, readings), (?b, readings) SEQ (?a, ?b+) WINDOW (?a, ?b, 9s)")
    candidates = {"a": candidates_at([1]), "b": candidates_at([3, 4])}
    rows = {"a": np.zeros(3, dtype=int), "b": np.array([0, 1, 0, 1, 1])}
    matches = MatchTable(np.zeros(3, dtype=int), rows, np.array([5, 4, 4]), {"b": np.array([0, 2, 4, 5])})
    projection = MatchProjection(query, partial=True)
    assert projection.sorted(matches, candidates, once=True).time.tolist() == [4, 4]
    assert len(projection.sorted(matches, candidates, once=False).time) == 3


def test_a_variable_of_which_no_candidate_is_left_is_unbound() -> None:
    """Of (?a OR ?d), ?b+: ties are settled although ?d has no candidates."""
    query = compiled("SELECT COUNT(?b) AS k FROM (?a, readings), (?b, readings) SEQ (?a, ?b+) WINDOW (?a, ?b, 9s)")
    candidates = {"d": candidates_at([]), "b": candidates_at([3, 4, 5])}
    rows = {"d": np.full(2, UNBOUND), "b": np.array([0, 2, 0, 1, 2])}
    matches = MatchTable(np.zeros(2, dtype=int), rows, np.full(2, 5), {"b": np.array([0, 2, 5])})
    ordered = MatchProjection(query, partial=True).sorted(matches, candidates, once=True)
    assert ordered.lists("b", np.arange(3)).to_list() == [[0, 1, 2], [0, 2]]
