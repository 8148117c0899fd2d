"""What is asked of complete matches, in this order: conditions, output order, once each, AFTER MATCH."""

from __future__ import annotations

import numpy as np
from kaicep.cep.match import MatchReporter
from kaicep.cep.output import MatchTable, match_name
from support.frames import candidates_at
from support.operators import compiled

TWO = "SELECT ?a.n FROM (?a, readings), (?b, readings) SEQ (?a ->> ?b) WINDOW (?a, ?b, 9s)"
CANDIDATES = {"a": candidates_at([1, 2]), "b": candidates_at([3, 4])}


def reporter(clauses: str, *, ambiguous: bool = False) -> MatchReporter:
    query = compiled(f"{TWO} {clauses}")
    conditions = [] if query.having is None else [query.having]
    return MatchReporter(query, conditions, partial=False, ambiguous=ambiguous)


def matches(*pairs: tuple[int, int]) -> MatchTable:
    rows = {"a": np.array([a for a, _ in pairs]), "b": np.array([b for _, b in pairs])}
    return MatchTable(np.zeros(len(pairs), dtype=int), rows, CANDIDATES["b"].time[rows["b"]])


def pairs(table: MatchTable) -> list[tuple[int, int]]:
    return list(zip(table.rows["a"].tolist(), table.rows["b"].tolist(), strict=True))


EVERY = matches((1, 1), (0, 1), (1, 0), (0, 0))


def test_matches_stand_in_output_order() -> None:
    assert pairs(reporter("").standing(EVERY, CANDIDATES)) == [(0, 0), (1, 0), (0, 1), (1, 1)]


def test_conditions_come_before_after_match() -> None:
    later = "HAVING STR(?a._id) = '1'"
    assert pairs(reporter(f"{later} AFTER MATCH CONSUME").standing(EVERY, CANDIDATES)) == [(1, 0)]
    assert pairs(reporter("AFTER MATCH CONSUME").standing(EVERY, CANDIDATES)) == [(0, 0), (1, 1)]


def test_what_stands_forbids_later_matches_of_later_calls() -> None:
    skipping = reporter("AFTER MATCH SKIP TO NEXT EVENT")
    assert pairs(skipping.standing(matches((0, 0)), CANDIDATES)) == [(0, 0)]
    assert skipping.skip.grown
    assert pairs(skipping.standing(matches((0, 1), (1, 1)), CANDIDATES)) == [(1, 1)]


def test_a_match_that_is_found_in_several_ways_is_reported_once() -> None:
    twice = matches((0, 0), (0, 0), (1, 0))
    assert len(reporter("").standing(twice, CANDIDATES).time) == 3
    assert pairs(reporter("", ambiguous=True).standing(twice, CANDIDATES)) == [(0, 0), (1, 0)]


def test_no_matches_are_no_frame() -> None:
    made = reporter("")
    assert made.names is match_name
    assert made.report(made.standing(EVERY.at(np.empty(0, dtype=int)), CANDIDATES), CANDIDATES) is None
