"""Digests of texts, as columns."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import polars as pl
import polars_hash as plh
import pyarrow as pa

_DIGITS = 32
# Two bytes at a time: the four hexadecimal digits of every 16-bit number.
_HEXADECIMAL = np.array([f"{number:04x}".encode() for number in range(1 << 16)], dtype="S4").view(np.uint32)


def seeds_of(text: str) -> tuple[int, int]:
    """Return two seeds for `hex_digests` that follow from a text: 64 bits each of its SHA-256."""
    high, low = np.frombuffer(sha256(text.encode()).digest()[:16], dtype="<u8").tolist()
    return high, low


def hex_digests(texts: pl.Series, seeds: tuple[int, int]) -> pa.Array:
    """128 bits of XXH3 of each text, 64 for each of two seeds, as 32 hexadecimal digits.

    XXH3 is specified, so a digest is the same in every process, on every machine and in every version. Each half is
    written as its four 16-bit words, the lowest first.

    Args:
        texts: strings, none null.
        seeds: what tells digests of different kinds of text apart, at no cost per text.

    Returns:
        Strings, as many.
    """
    text = plh.col("text").nchash
    halves = texts.alias("text").to_frame().select(high=text.xxh3_64(seed=seeds[0]), low=text.xxh3_64(seed=seeds[1]))
    words = np.empty((len(texts), 2), dtype="<u8")
    words[:, 0], words[:, 1] = halves["high"].to_numpy(), halves["low"].to_numpy()
    digits = _HEXADECIMAL.take(words.view("<u2"))
    offsets = np.arange(len(texts) + 1, dtype=np.int32) * _DIGITS
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(offsets), pa.py_buffer(digits))
