"""A sample of events by what they are called: the same ones in every batch, replay and restart (docs/decisions/261).

The number of an event follows from its `_id` alone: a polynomial over its words of 8 bytes, stirred as in SplitMix64
(Steele, Lea and Flood 2014).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .....semfilter.runtime import Mask

__all__ = ["SAMPLED", "looked_at"]

SAMPLED = "_sampled"
"""The column of rows that says which share of the events was looked at."""

_BASE = np.uint64(0x9E3779B97F4A7C15)
_STIR = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
_WORD = 8
_AT_ONCE = 2**24


def looked_at(ids: pa.ChunkedArray, share: float) -> Mask:
    """Which events are in the sample.

    Args:
        ids: of events.
        share: of all events, between 0 and 1.
    """
    text = ids.cast(pa.large_string())
    longest = pc.max(pc.binary_length(text)).as_py() or 0
    width = _WORD * max(1, -(-longest // _WORD))
    rows = max(1, _AT_ONCE // width)
    parts = [_numbers(text.slice(start, rows), width) for start in range(0, len(text), rows)]
    numbers = np.concatenate(parts) if parts else np.empty(0, np.uint64)
    return numbers < np.uint64(int(share * 2**64))


def _numbers(ids: pa.ChunkedArray, width: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Of each id a number, evenly spread over those of 64 bits; zeros behind it change nothing.

    Args:
        ids: of some events.
        width: bytes that each of them is filled up to.
    """
    filled = pc.ascii_rpad(ids, width=width, padding="\0").combine_chunks()
    _, places, content = filled.buffers()
    first = int(np.frombuffer(places, np.int64, count=1, offset=8 * filled.offset)[0])
    words = np.frombuffer(content, "<u8", count=len(filled) * width // _WORD, offset=first)
    numbers = np.zeros(len(filled), np.uint64)
    for word in reversed(words.reshape(len(filled), -1).T):
        numbers = numbers * _BASE + word
    for shift, factor in _STIR:
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers
