"""Digests of texts, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa
from polars_hash import NonCryptographicHashingNameSpace as Hashes

_DIGITS = 32
# Two bytes at a time: the four hexadecimal digits of every 16-bit number.
_HEXADECIMAL = np.frombuffer(np.arange(1 << 16, dtype=">u2").tobytes().hex().encode(), dtype=np.uint32)


Seeds: TypeAlias = tuple[int, int]
"""What tells digests of different kinds of text apart, at no cost per text."""


class Seeded(NamedTuple):
    """So many texts, one behind the other, whose digests have the same seeds."""

    rows: int
    seeds: Seeds


def seeds_of(text: str) -> Seeds:
    """Return two seeds for `hex_digests` that follow from a text: 64 bits each of its SHA-256."""
    high, low = np.frombuffer(sha256(text.encode()).digest()[:16], dtype="<u8").tolist()
    return high, low


def hex_digests(parts: Sequence[pl.Series], separator: str, seeds: Seeds) -> pa.Array:
    """128 bits of XXH3 of each row's text, 64 for each of two seeds, as 32 hexadecimal digits.

    XXH3 is specified, so a digest is the same in every process, on every machine and in every version. Each half is
    written as its four 16-bit words, the lowest first.

    Args:
        parts: columns of strings, none null.
        separator: stands between the strings of a row in its text.
        seeds: what tells these digests apart from others.

    Returns:
        Strings, as many.
    """
    return seeded_digests(parts, separator, [Seeded(len(parts[0]), seeds)])


def seeded_digests(parts: Sequence[pl.Series], separator: str, runs: Sequence[Seeded]) -> pa.Array:
    """The same of rows with several seeds; `runs`: the seeds of the first rows, of those behind them, and so on."""
    columns = pl.DataFrame([part.alias(str(place)) for place, part in enumerate(parts)])
    size = columns.height
    words = np.empty((size, 2), dtype="<u8")
    if len(runs) > 1 and columns.width > 1:
        columns = columns.select(_text(columns.width, separator).alias("0"))
    first = 0
    for rows, seeds in runs:
        halves = columns.slice(first, rows).select(_halves(columns.width, separator, seeds))
        words[first : first + rows, 0], words[first : first + rows, 1] = (half.to_numpy() for half in halves)
        first += rows
    digits = _HEXADECIMAL.take(words.view("<u2"))
    offsets = np.arange(size + 1, dtype=np.int32) * _DIGITS
    return pa.StringArray.from_buffers(size, pa.py_buffer(offsets), pa.py_buffer(digits))


def _text(parts: int, separator: str) -> pl.Expr:
    """The text that columns named by their places make up."""
    return pl.col("0") if parts == 1 else pl.concat_str([str(place) for place in range(parts)], separator=separator)


@lru_cache(maxsize=4096)
def _halves(parts: int, separator: str, seeds: Seeds) -> list[pl.Expr]:
    """Both hashes of that text."""
    text = _text(parts, separator)
    return [Hashes(text).xxh3_64(seed=seed).alias(str(i)) for i, seed in enumerate(seeds)]
