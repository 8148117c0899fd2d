"""Complete matches as columns, before they are rows: which candidate each variable is bound to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...expressions import Bools, Ints
from .match_finder import Candidates, Partial

__all__ = ["UNBOUND", "Found", "gathered"]

UNBOUND = -1
"""The row of a variable that a match does not bind."""


@dataclass(frozen=True, slots=True)
class Found:
    """Matches.

    Attributes:
        way: for each match the place of the way that it took.
        rows: by variable, the row of its candidate, or `UNBOUND`.
        due: when each match becomes true, in microseconds.
    """

    way: Ints
    rows: Mapping[str, Ints]
    due: Ints

    def at(self, places: Ints | Bools) -> Found:
        """Some of the matches."""
        return Found(self.way[places], {v: r[places] for v, r in self.rows.items()}, self.due[places])

    def of_way(self, way: int, variables: Sequence[str]) -> tuple[Ints, Partial]:
        """The places of the matches that took a way, and what they bind."""
        places = np.flatnonzero(self.way == way)
        return places, {v: self.rows[v][places] for v in variables}

    def numbers(self, candidates: Mapping[str, Candidates]) -> Ints:
        """The numbers of the events, a row per variable; −1: unbound."""
        return np.stack([_numbers(candidates[v].number, rows) for v, rows in self.rows.items()])

    @staticmethod
    def joined(parts: Sequence[Found], variables: Sequence[str]) -> Found:
        """All matches; without parts there are none."""
        nothing = np.empty(0, dtype=np.int64)
        if not parts:
            return Found(nothing, dict.fromkeys(variables, nothing), nothing)
        rows = {v: np.concatenate([part.rows[v] for part in parts]) for v in variables}
        return Found(np.concatenate([p.way for p in parts]), rows, np.concatenate([p.due for p in parts]))


def _numbers(numbers: Ints, rows: Ints) -> Ints:
    return numbers[rows] if (rows >= 0).all() else np.where(rows < 0, -1, np.append(numbers, -1)[rows])


def gathered(column: pl.Series, rows: Ints) -> pl.Series:
    """The values of rows; null where a row is `UNBOUND`."""
    if (rows >= 0).all():
        return column[rows]
    return pl.concat([column, pl.Series([None], dtype=column.dtype)])[np.where(rows < 0, column.len(), rows)]
