"""In which shard a value lies: the same in every process and version, since state lies in shards.

Source: xxHash (Collet); docs/decisions/320.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from polars_hash import NonCryptographicHashingNameSpace as Hashes

from ....expressions import Ints

__all__ = ["hash_of", "shard_of"]

_SEED = 320


def shard_of(columns: Sequence[pl.Series], shards: int) -> Ints:
    """The number of each value's shard; what is unbound lies in the first.

    Args:
        columns: one, or several whose values together are the value: then what is unbound is a value like others.
        shards: how many there are.
    """
    if shards == 1:
        return np.zeros(len(columns[0]), np.int64)
    hashes = pl.DataFrame([hash_of(values).alias(str(place)) for place, values in enumerate(columns)])
    if len(columns) == 1:
        numbers = hashes.to_series()
    else:
        told = pl.concat_str([pl.col(name).cast(pl.String).fill_null("") for name in hashes.columns], separator=" ")
        numbers = hash_of(hashes.select(told).to_series())
    return (numbers % shards).fill_null(0).to_numpy().astype(np.int64)


def hash_of(values: pl.Series) -> pl.Series:
    """A number for each value, of 64 bits: equal for equal texts, and hardly ever for others."""
    texts = values.to_physical().cast(pl.String).alias("text").to_frame()
    return texts.select(Hashes(pl.col("text")).xxh3_64(seed=_SEED)).to_series()
