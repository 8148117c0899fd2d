"""The moments of WITHIN, as operators see them."""

from __future__ import annotations

from dataclasses import dataclass

from .difference_bounds import UNBOUNDED

__all__ = ["Interval"]


@dataclass(frozen=True, slots=True)
class Interval:
    """From `first` to `last`, both included, in microseconds since the epoch."""

    first: int = -UNBOUNDED
    last: int = UNBOUNDED
