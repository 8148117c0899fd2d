"""Matches as columns: single events, and repetitions as ranges of rows."""

from __future__ import annotations

import numpy as np
import polars as pl
from kaicep.cep.output.match_table import UNBOUND, MatchTable, gathered
from support.frames import candidates_at

A, B = candidates_at([10, 20, 30]), candidates_at([11, 12, 13, 14])
# a at 10 with b at 11 and 12; a at 20 with no b; no a with b at 14
MATCHES = MatchTable(
    np.array([0, 1, 0]),
    {"a": np.array([0, 1, UNBOUND]), "b": np.array([0, 1, 3])},
    np.array([12, 20, 14]),
    {"b": np.array([0, 2, 2, 3])},
)


def test_first_and_last_events_by_variable() -> None:
    first, last = MATCHES.numbers({"a": A, "b": B})
    assert first.tolist() == [[10, 20, -1], [11, -1, 14]]
    assert last.tolist() == [[10, 20, -1], [12, -1, 14]]
    assert MATCHES.lengths().tolist() == [3, 1, 1]


def test_chosen_matches_keep_their_repetitions() -> None:
    chosen = MATCHES.at(np.array([2, 0]))
    assert chosen.time.tolist() == [14, 12]
    assert (chosen.rows["a"].tolist(), chosen.rows["b"].tolist()) == ([UNBOUND, 0], [3, 0, 1])
    assert chosen.offsets["b"].tolist() == [0, 1, 3]
    by_mask = MATCHES.at(np.array([True, False, True]))
    assert (by_mask.rows["b"].tolist(), by_mask.offsets["b"].tolist()) == ([0, 1, 3], [0, 2, 3])


def test_values_match_by_match() -> None:
    assert MATCHES.lists("b", B.number).to_list() == [[11, 12], [], [14]]
    assert MATCHES.lists("a", A.number).to_list() == [[10], [20], []]
    rows, offsets = MATCHES.ranges("a")
    assert (rows.tolist(), offsets.tolist()) == ([0, 1], [0, 1, 2, 2])


def test_events_of_all_variables_in_total_order() -> None:
    assert MATCHES.events({"a": A, "b": B}).to_list() == [[10, 11, 12], [20], [14]]
    assert MATCHES.events({"a": candidates_at([15, 20]), "b": B}).to_list() == [[11, 12, 15], [20], [14]]


def test_a_disjunct_binds_the_same_variables_in_each_match() -> None:
    single = MatchTable(np.array([1, 0, 1]), {"a": np.array([0, 1, 2]), "b": np.array([5, -1, 6])}, np.zeros(3, int))
    places, rows = single.of_disjunct(0)
    assert (places.tolist(), {v: r.tolist() for v, r in rows.items()}) == ([1], {"a": [1]})
    assert single.of_disjunct(2)[1] == {}


def test_tables_are_joined() -> None:
    part = MatchTable(np.array([0]), {"a": np.array([4])}, np.array([9]))
    joined = MatchTable.joined([part, part], ["a"])
    assert (joined.rows["a"].tolist(), joined.time.tolist()) == ([4, 4], [9, 9])
    assert len(MatchTable.joined([], ["a"]).time) == 0


def test_what_is_unbound_is_null() -> None:
    assert gathered(pl.Series([1, 2]), np.array([1, UNBOUND, 0])).to_list() == [2, None, 1]
