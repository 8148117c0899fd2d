"""EVERY: the moments at which what is complete is a match again (LANGUAGE-2 §8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...expressions import Ints
from ..order import UNBOUNDED

__all__ = ["Recurrence"]


@dataclass(slots=True)
class Recurrence:
    """When matches recur.

    Attributes:
        period: of EVERY, in microseconds; `None`: nothing recurs.
        end: the greatest time stamp of the sources, once all of them have ended: nothing recurs after it.
    """

    period: int | None = None
    end: int | None = None

    def last(self, watermark: int) -> int:
        """The last moment that a watermark has passed; behind the end of the streams, that of their last event."""
        if watermark < UNBOUNDED:
            return watermark - 1
        return -UNBOUNDED if self.end is None else self.end

    def counts(self, time: Ints, until: Ints, watermark: int) -> Ints:
        """How often each recurs below a watermark.

        Args:
            time: when it does next.
            until: the last moment at which it may.
            watermark: in microseconds.
        """
        if self.period is None:
            return np.ones(len(time), dtype=np.int64)
        last = np.minimum(until, self.last(watermark))
        counts: Ints = np.maximum((last - time) // self.period + 1, 0)
        return counts
