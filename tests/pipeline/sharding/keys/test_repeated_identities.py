"""Which events repeat an identity."""

from __future__ import annotations

from random import Random

import numpy as np
import polars as pl
import pytest
from kaicep.pipeline.sharding.keys.repeated_identities import first_ones, tied_rows


def test_the_first_of_equal_identities_counts() -> None:
    ids, times = pl.Series(["a", "b", "a", "c", "b"]), np.array([3, 1, 3, 1, 1])
    for found in (first_ones(ids, times), first_ones(ids, None)):
        assert found is not None
        assert found.tolist() == [True, True, False, True, False]
    assert first_ones(pl.Series(["a", "b", "c"]), np.array([1, 1, 1])) is None
    assert first_ones(pl.Series([], dtype=pl.String), None) is None
    assert first_ones(pl.Series([], dtype=pl.String), np.array([], dtype=np.int64)) is None


def test_where_identities_determine_times_only_equal_times_are_compared() -> None:
    assert first_ones(pl.Series(["a", "a"]), np.array([1, 2])) is None


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_a_search_among_all_finds(seed: int) -> None:
    rng = Random(seed)
    keys = [(rng.randrange(30), rng.choice("ab")) for _ in range(rng.randrange(80))]
    keys = sorted(keys, key=lambda key: key[0]) if seed % 2 else keys
    ids, times = pl.Series([f"{name}{time}" for time, name in keys]), np.array([time for time, _ in keys], np.int64)
    found = first_ones(ids, times)
    assert (np.ones(len(keys), bool) if found is None else found).tolist() == ids.is_first_distinct().to_list()


def test_rows_of_equal_time_stamps() -> None:
    assert tied_rows(np.array([1, 2, 2, 3])).tolist() == [1, 2]
    assert tied_rows(np.array([3, 1, 2, 3])).tolist() == [0, 3]
    assert tied_rows(np.array([1, 2, 3])).tolist() == []
