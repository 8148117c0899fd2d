"""Many thresholds of one column: a tighter one is asked only of the values that a looser one has let pass.

Source: H2O §V (subsumed filters).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .frames import Bools, Floats, Ints
from .threshold import COMPARED

__all__ = ["ThresholdChain"]

_AT_ONCE = 64
"""So many thresholds are compared with the same values; those behind them are with what the loosest of them leaves."""
_HALF = 2
_SINGLY = 4
"""Up to so many are compared one by one."""
_UPWARD = (">", ">=")


class ThresholdChain:
    """Thresholds that compare one column in one way with different values.

    Args:
        symbol: how it is compared: <, <=, >, >=.
        limits: the values.
    """

    def __init__(self, symbol: str, limits: Sequence[float]) -> None:
        self._symbol = symbol
        self._limits = np.array(limits, dtype=np.float64)
        order = np.argsort(self._limits, kind="stable")
        self._loosest_first = order if symbol in _UPWARD else order[::-1]

    def of(self, chosen: Bools) -> ThresholdChain:
        """Some of the thresholds."""
        return ThresholdChain(self._symbol, self._limits[chosen].tolist())

    @property
    def loosest_first(self) -> list[int]:
        """The places of the thresholds in the order in which each takes a part of what the one before takes."""
        places: list[int] = self._loosest_first.tolist()
        return places

    def counts(self, ordered: Floats) -> Ints:
        """How many values each threshold lets pass.

        Args:
            ordered: the values, ascending, NaN left out: that compares with nothing.
        """
        below = np.searchsorted(ordered, self._limits, "right" if self._symbol in {">", "<="} else "left")
        passed: Ints = len(ordered) - below if self._symbol in _UPWARD else below
        return passed

    def passing(self, values: Floats, places: Ints) -> list[Ints]:
        """The places of the values that each threshold lets pass, in their order.

        Args:
            values: in any order, NaN among them.
            places: where each of them stands.
        """
        found: list[Ints] = [places[:0]] * len(self._limits)
        if len(found) <= _SINGLY:
            for threshold in self.loosest_first:
                left = self._passed(values, self._limits[threshold])
                places, values = places[left], values[left]
                found[threshold] = places
            return found
        for first in range(0, len(self._limits), _AT_ONCE):
            block = self._loosest_first[first : first + _AT_ONCE]
            left = self._passed(values, self._limits[block[0]])
            if not left.all():
                places, values = places[left], values[left]
            if not len(places):
                break
            passed = self._passed(values[np.newaxis, :], self._limits[block, np.newaxis])
            counts = np.count_nonzero(passed, axis=1)
            taken = places[np.flatnonzero(passed) - np.repeat(np.arange(len(block)) * len(places), counts)]
            ends = np.cumsum(counts).tolist()
            for threshold, (start, end) in zip(block.tolist(), pairwise([0, *ends]), strict=True):
                found[threshold] = taken[start:end]
        return found

    def masks(self, values: Floats, places: Ints) -> list[Bools]:
        """Of which values each threshold is true; it is asked of what a looser one left, where that is half at most.

        Args:
            values: in any order, NaN among them.
            places: of those that may be; of no other one any threshold is true.
        """
        found = [np.zeros(len(values), dtype=np.bool_) for _ in self._limits]
        asked = values if len(places) == len(values) else values[places]
        for threshold in self.loosest_first:
            left = self._passed(asked, self._limits[threshold])
            if len(left) == len(values):
                found[threshold] = left
            else:
                found[threshold][places] = left
            if np.count_nonzero(left) * _HALF <= len(left):
                places, asked = places[left], asked[left]
        return found

    def _passed(self, values: Floats, limits: Floats | np.float64) -> Bools:
        passed: Bools = COMPARED[self._symbol](values, limits)
        return passed
