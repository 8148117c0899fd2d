"""Candidates that go with partial matches: by ranges of rows, keys and conditions."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
from kaicep.cep.match import index_probe
from kaicep.cep.match.index_probe import (
    NONE,
    BoundRows,
    CandidateRanges,
    IndexProbe,
    JoinKey,
    JoinPredicate,
    encode_keys,
    passing,
    ranges_by_key,
)
from kaicep.cep.order import Candidates
from kaicep.expressions import Bools
from support.frames import frame_at


def test_each_condition_is_counted_of_what_the_others_before_it_leave() -> None:
    frame = pl.DataFrame({"x": [1, 2, 3, None]})
    tests = [pl.col("x") > 1, pl.col("x") > 2, pl.lit(value=True)]
    conditions = [JoinPredicate({"a"}, (), test) for test in tests]
    for _ in range(2):
        assert passing(frame, conditions).tolist() == [False, False, True, False]
    assert [(c.count.asked, c.count.held) for c in conditions] == [(8, 4), (4, 2), (2, 2)]


def test_of_keys_it_is_counted_whether_any_are_equal() -> None:
    key = JoinKey({"a": pl.col("x"), "b": pl.col("x")}, nulls_match=False)
    for values, counted in (([1, None], (2, 0)), ([3, 4], (4, 1)), ([3, 4], (4, 1))):
        own = {
            v: Candidates(frame_at([0, 1], columns={"x": of}), np.arange(2), 0)
            for v, of in (("a", values), ("b", [3, None]))
        }
        encode_keys([key], own)
        assert (key.count.asked, key.count.held) == counted


def candidates(keys: str) -> Candidates:
    frame = frame_at(range(len(keys)), columns={"key": [None if key == "-" else key for key in keys]})
    return Candidates(frame, np.arange(len(keys)), 0)


def probe(a: str, b: str, *, nulls_match: bool = False) -> IndexProbe:
    key = JoinKey({"a": pl.col("key"), "b": pl.col("key")}, nulls_match=nulls_match)
    of = {"a": candidates(a), "b": candidates(b)}
    encode_keys([key], of)
    return IndexProbe([key], [], of)


def pairs(of: IndexProbe, between: tuple[int, int]) -> list[tuple[int, int]]:
    """Every row of a with those of b in its range."""
    partial = {"a": np.arange(len(of.candidates["a"].number))}
    ranges = of.ranges(partial, "b", tuple(np.full(len(partial["a"]), row) for row in between))  # type: ignore[arg-type] # two
    found = [pair for a, b in of.pairs(partial, "b", ranges, []) for pair in zip(a.tolist(), b.tolist(), strict=True)]
    return sorted(found)


def test_a_range_holds_the_rows_of_its_key() -> None:
    of = probe("xy-", "yxx-y")
    assert pairs(of, (0, 5)) == [(0, 1), (0, 2), (1, 0), (1, 4)]
    assert pairs(of, (1, 4)) == [(0, 1), (0, 2)]
    assert pairs(probe("x-", "-x", nulls_match=True), (0, 2)) == [(0, 1), (1, 0)]


def test_pieces_of_pairs_are_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    of = probe("xxy", "xxyy")
    whole = pairs(of, (0, 4))
    monkeypatch.setattr(index_probe, "PAIRS_AT_ONCE", 2)
    assert pairs(of, (0, 4)) == whole


def test_the_first_candidate_that_passes_is_found_as_a_search_row_by_row_finds_it() -> None:
    source = random.Random(5)
    passing = np.array([source.random() < 0.1 for _ in range(200)])

    def passes(grown: BoundRows) -> Bools:
        return passing[grown["b"]]

    start = np.array([source.randrange(200) for _ in range(40)])
    count = np.array([source.randrange(200 - s) for s in start.tolist()])
    of = probe("x" * 40, "x" * 200)
    found = of.first({"a": np.arange(40)}, "b", CandidateRanges(start, count, None), [passes])
    for s, c, row in zip(start.tolist(), count.tolist(), found.tolist(), strict=True):
        assert row == next((r for r in range(s, s + c) if passing[r]), NONE)


def test_the_last_candidate_that_passes_is_the_last_of_all_pairs() -> None:
    of = probe("xyxz-", "xxyxy")
    rows: BoundRows = {"a": np.arange(5)}
    ranges = of.ranges(rows, "b", (np.full(5, 1), np.full(5, 4)))
    assert of.last(rows, "b", ranges, []).tolist() == [3, 2, 3, NONE, NONE]

    def early(grown: BoundRows) -> Bools:
        return grown["b"] < 3

    assert of.last(rows, "b", ranges, [early]).tolist() == [1, 2, 1, NONE, NONE]


def test_ranges_are_between_places_of_one_key() -> None:
    own, place = np.array([1, 0, 1, -1, 1]), np.array([0, 1, 2, 3, 4])
    found = ranges_by_key(own, np.array([1, 0, -1]), place, (np.array([1, 0, 0]), np.array([5, 5, 5])), 6)
    assert found.order is not None
    rows = [found.order[s : s + c].tolist() for s, c in zip(found.start, found.count, strict=True)]
    assert rows == [[2, 4], [1], []]
