"""Digests of texts, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

import numpy as np
import polars as pl
import pyarrow as pa
from polars_hash import NonCryptographicHashingNameSpace as Hashes

_DIGITS = 32
# Two bytes at a time: the four hexadecimal digits of every 16-bit number.
_HEXADECIMAL = np.frombuffer(np.arange(1 << 16, dtype=">u2").tobytes().hex().encode(), dtype=np.uint32)


def seeds_of(text: str) -> tuple[int, int]:
    """Return two seeds for `hex_digests` that follow from a text: 64 bits each of its SHA-256."""
    high, low = np.frombuffer(sha256(text.encode()).digest()[:16], dtype="<u8").tolist()
    return high, low


def hex_digests(parts: Sequence[pl.Series], separator: str, seeds: tuple[int, int]) -> pa.Array:
    """128 bits of XXH3 of each row's text, 64 for each of two seeds, as 32 hexadecimal digits.

    XXH3 is specified, so a digest is the same in every process, on every machine and in every version. Each half is
    written as its four 16-bit words, the lowest first.

    Args:
        parts: columns of strings, none null.
        separator: stands between the strings of a row in its text.
        seeds: what tells digests of different kinds of text apart, at no cost per text.

    Returns:
        Strings, as many.
    """
    columns = [part.alias(str(place)) for place, part in enumerate(parts)]
    halves = pl.DataFrame(columns).select(_halves(len(columns), separator, seeds))
    size = halves.height
    words = np.empty((size, 2), dtype="<u8")
    words[:, 0], words[:, 1] = (half.to_numpy() for half in halves)
    digits = _HEXADECIMAL.take(words.view("<u2"))
    offsets = np.arange(size + 1, dtype=np.int32) * _DIGITS
    return pa.StringArray.from_buffers(size, pa.py_buffer(offsets), pa.py_buffer(digits))


@lru_cache(maxsize=1024)
def _halves(parts: int, separator: str, seeds: tuple[int, int]) -> list[pl.Expr]:
    """Both hashes of the text that columns named by their places make up."""
    names = [str(place) for place in range(parts)]
    text = pl.col("0") if parts == 1 else pl.concat_str(names, separator=separator)
    return [Hashes(text).xxh3_64(seed=seed).alias(str(i)) for i, seed in enumerate(seeds)]
