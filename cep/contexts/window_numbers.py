"""The numbers of windows: 64 bits that follow from set, context, partition and beginning, the same in every process."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Any

import numpy as np

from ...expressions import Ints

__all__ = ["window_number", "window_numbers"]

_MASK = 2**64 - 1
_STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def window_numbers(of: str, context: str, partitions: Ints, since: Ints) -> Ints:
    """The numbers of windows of one context.

    Args:
        of: the name of the set.
        context: its name.
        partitions: the number of each window's partition.
        since: when each began, in microseconds; always: −2^62.
    """
    numbers = _mixed(_mixed(since.astype(np.int64).view(np.uint64)) ^ partitions.view(np.uint64))
    return (_mixed(numbers ^ np.uint64(_seed(of, context)))).view(np.int64)


def window_number(of: str, context: str, partition: int, since: int) -> int:
    """The same of one window."""
    began = _mixed_one(since & _MASK)
    number = _mixed_one(_mixed_one(began ^ (partition & _MASK)) ^ _seed(of, context))
    return number - 2**64 if number >> 63 else number


@lru_cache(maxsize=4096)
def _seed(of: str, context: str) -> int:
    return int.from_bytes(sha256(f"{of}\x1f{context}".encode()).digest()[:8], "little")


def _mixed(x: np.ndarray[Any, np.dtype[np.uint64]]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Every bit of the outcome depends on every bit (the finalizer of SplitMix64)."""
    for shift, factor in _STEPS:
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return x ^ (x >> np.uint64(31))


def _mixed_one(x: int) -> int:
    for shift, factor in _STEPS:
        x = ((x ^ (x >> shift)) * factor) & _MASK
    return x ^ (x >> 31)
