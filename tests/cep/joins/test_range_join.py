"""All matches that end with a new event are found, as a search of all pairs finds them."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import polars as pl
import pytest
from kaicep.cep.joins.pattern_plan import plan_pattern
from kaicep.cep.joins.range_join import find_matches
from kaicep.cep.match import encode_keys
from kaicep.cep.order import Candidates
from support.frames import frame_at
from support.letter_readings import text_of
from support.operators import compiled

SECOND = 1_000_000


@pytest.mark.parametrize("seed", range(10))
def test_pairs_within_a_window_with_equal_keys(seed: int) -> None:
    plan = plan_pattern(compiled(text_of("?a ->> ?b", "JOIN (?a.n = ?b.n)", window="3s")))
    source = random.Random(seed)
    own, first_new = {}, {}
    for v in "ab":
        times = sorted(source.randrange(12) * SECOND for _ in range(source.randint(0, 9)))
        frame = frame_at(times, columns={"n": [source.choice([1, 2, None]) for _ in times]})
        frame = frame.with_columns(pl.col("n").cast(pl.Int64))
        first_new[v] = source.randint(0, len(times))
        own[v] = Candidates(frame, np.array(times, dtype=np.int64) * 2 + (v == "b"), first_new[v])
    encode_keys(plan.keys, own)
    found = find_matches(plan.disjuncts[0], own)
    a, b = (list(zip(own[v].time.tolist(), own[v].frame["n"], strict=True)) for v in "ab")
    expected = [
        (i, j)
        for (i, (t, n)), (j, (u, m)) in product(enumerate(a), enumerate(b))
        if j >= first_new["b"] and 0 < u - t <= 3 * SECOND and n == m and n is not None
    ]
    assert sorted(zip(found["a"].tolist(), found["b"].tolist(), strict=True)) == expected
