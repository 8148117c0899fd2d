"""Ranges of rows whose values are aggregated, all at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ..frames import Bools, Ints

__all__ = ["ValueRanges"]


@dataclass(frozen=True, slots=True)
class ValueRanges:
    """Values, and ranges `[start[i], end[i])` of them, not empty, with `start` and `end` both ascending.

    Attributes:
        values: row by row; unbound ones are null.
        bound: which of them are not.
        start: first rows.
        end: rows behind the last.
        count: how many bound values each range holds.
    """

    values: pl.Series
    bound: Bools
    start: Ints
    end: Ints
    count: Ints

    @classmethod
    def of(cls, values: pl.Series, start: Ints, end: Ints) -> ValueRanges:
        """The ranges with the number of bound values in each."""
        if not values.has_nulls():
            return cls(values, np.ones(len(values), dtype=bool), start, end, end - start)
        bound = values.is_not_null().to_numpy()
        before = np.concatenate([[0], np.cumsum(bound)])
        return cls(values, bound, start, end, before[end] - before[start])

    def where(self, found: pl.Series, at_least: int = 1) -> pl.Series:
        """Results of ranges that hold enough bound values; the others are unbound."""
        few = self.count < at_least
        return found.set(pl.Series(few), None) if few.any() else found

    def bound_rows(self) -> tuple[Ints, Ints]:
        """The rows of bound values, range after range, and where each range's begin among them, and end."""
        before = np.concatenate([[0], np.cumsum(self.bound)])
        offsets = np.concatenate([[0], np.cumsum(self.count)])
        place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], self.count)
        rows: Ints = np.flatnonzero(self.bound)[np.repeat(before[self.start], self.count) + place]
        return rows, offsets
