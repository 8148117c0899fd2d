"""All matches that end with a new event are found, as a search of all pairs finds them."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import polars as pl
import pytest
from kaicep.cep.joins.pattern_plan import plan_pattern
from kaicep.cep.joins.range_join import find_matches
from kaicep.cep.limits import Ceilings, Limits
from kaicep.cep.match import NewEvents, encode_keys
from kaicep.cep.order import Candidates
from kaicep.errors import CeilingError
from support.frames import frame_at
from support.letter_readings import text_of
from support.operators import compiled

SECOND = 1_000_000


@pytest.mark.parametrize("seed", range(10))
def test_pairs_within_a_window_with_equal_keys(seed: int) -> None:
    query = compiled(text_of("?a ->> ?b", "JOIN (?a.n = ?b.n)", window="3s"))
    plan = plan_pattern(query)
    source = random.Random(seed)
    own, first_new = {}, {}
    for v in "ab":
        times = sorted(source.randrange(12) * SECOND for _ in range(source.randint(0, 9)))
        frame = frame_at(times, columns={"n": [source.choice([1, 2, None]) for _ in times]})
        frame = frame.with_columns(pl.col("n").cast(pl.Int64))
        first_new[v] = source.randint(0, len(times))
        own[v] = Candidates(frame, np.array(times, dtype=np.int64) * 2 + (v == "b"), first_new[v])
    encode_keys(plan.keys, own)
    pairs = NewEvents.among(own.values(), Ceilings(query)).pairs()
    pieces = list(find_matches(plan.disjuncts[0], own, pairs))
    found = {v: [row for piece in pieces for row in piece[v].tolist()] for v in "ab"}
    a, b = (list(zip(own[v].time.tolist(), own[v].frame["n"], strict=True)) for v in "ab")
    expected = [
        (i, j)
        for (i, (t, n)), (j, (u, m)) in product(enumerate(a), enumerate(b))
        if j >= first_new["b"] and 0 < u - t <= 3 * SECOND and n == m and n is not None
    ]
    assert sorted(zip(found["a"], found["b"], strict=True)) == expected


def test_pairs_are_counted_before_they_are_enumerated() -> None:
    """100,000 candidates and 100,000 more would be 10 billion pairs."""
    query = compiled(text_of("?a ->> ?b", window="100000s"))
    plan = plan_pattern(query)
    times = [i * SECOND for i in range(100_000)]
    numbers = np.arange(100_000)
    own = {"a": Candidates(frame_at(times), numbers * 2, 0), "b": Candidates(frame_at(times), numbers * 2 + 1, 0)}
    pairs = NewEvents.among(own.values(), Ceilings(query, Limits(pairs_per_event=90_000))).pairs()
    with pytest.raises(CeilingError, match="more than 90000 pairs would be compared to find the matches of one event"):
        next(find_matches(plan.disjuncts[0], own, pairs))
