"""In which shard a value lies."""

from __future__ import annotations

import polars as pl
from kaicep.pipeline.sharding.keys.value_hash import shard_of


def test_the_shard_of_a_value_is_the_same_everywhere() -> None:
    """State lies in shards: a number that changed would tear matches apart."""
    values = pl.Series(["a", "b", None, "s 9"])
    assert shard_of([values], 3).tolist() == shard_of([values], 3).tolist()
    assert shard_of([pl.Series(["1", "2", "3"])], 5).tolist() == shard_of([pl.Series([1, 2, 3])], 5).tolist()
    assert shard_of([values], 1).tolist() == [0, 0, 0, 0]
    assert shard_of([values], 4)[2] == 0
    assert shard_of([pl.Series([1, 2, 3, 4, 5, 6])], 4).tolist() == [3, 0, 1, 0, 0, 3]


def test_of_several_columns_all_decide() -> None:
    """Also what is unbound: rows that agree in all columns share a shard, others lie anywhere."""
    one, other = pl.Series([1, 1, 2, None, None, 1]), pl.Series(["x", "y", "x", "x", None, "x"])
    shards = shard_of([one, other], 1_000).tolist()
    assert shards[0] == shards[5]
    assert len({*shards}) == 5
    assert shards == [398, 35, 39, 507, 627, 398]
