"""Digests of texts, as columns."""

from __future__ import annotations

import numpy as np
import polars as pl
import polars_hash as plh
import pyarrow as pa

_DIGITS = 32
# Two bytes at a time: the four hexadecimal digits of every 16-bit number.
_HEXADECIMAL = np.array([f"{number:04x}".encode() for number in range(1 << 16)], dtype="S4").view(np.uint32)


def hex_digests(texts: pl.Series) -> pa.Array:
    """128 bits of XXH3 of each text (64 for each of two seeds), as 32 hexadecimal digits.

    XXH3 is specified, so a digest is the same in every process, on every machine and in every version.

    Args:
        texts: strings, none null.

    Returns:
        Strings, as many.
    """
    text = plh.col("text").nchash
    halves = texts.alias("text").to_frame().select(high=text.xxh3_64(seed=0), low=text.xxh3_64(seed=1))
    digests = np.empty((len(texts), 2), dtype=">u8")
    digests[:, 0], digests[:, 1] = halves["high"].to_numpy(), halves["low"].to_numpy()
    digits = _HEXADECIMAL[digests.view(">u2")]
    offsets = np.arange(len(texts) + 1, dtype=np.int32) * _DIGITS
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(offsets), pa.py_buffer(digits))
