"""The solutions of keys as columns, from which the selection of a batch is gathered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ..plan import ResidualQuery
from ..term_values import term_column
from .evaluate import Solution
from .event_selection import ROW, Mask
from .keys import Codes

PLACE = "place"


class SolutionColumns:
    """The solutions of keys, key by key.

    Attributes:
        holds: whether each key has a solution; the entry behind the last stands for what is no key (code -1).
        columns: a column `?name` per binding that the residual query gives, and per value that it derives for a
            condition, with a row per solution.
        numbers: per solution which of the distinct projections to the bindings it is; `None`: all are distinct.

    Args:
        residual: what the solutions are of.
        solutions: of each key.
    """

    def __init__(self, residual: ResidualQuery, solutions: Sequence[Sequence[Solution]]) -> None:
        counts = np.fromiter((len(s) for s in solutions), np.int64, len(solutions))
        self._counts = np.append(counts, 0)
        self._starts = np.cumsum(self._counts) - self._counts
        self.holds: Mask = self._counts > 0
        flat = [solution for of_key in solutions for solution in of_key]
        self.columns = {
            f"?{name}": term_column([solution[i] for solution in flat], kind)
            for i, (name, kind) in enumerate(residual.solution)
        }
        self.numbers = _numbers([s[: len(residual.bindings)] for s in flat]) if residual.derived else None

    def expanded(self, codes: Codes, possible: Mask | None) -> pl.DataFrame:
        """A row per event and solution of its key: `row`, the event's place; `place`, that of the solution.

        Args:
            codes: the key of each event; -1: none, and no solution.
            possible: the events that come into question; `None`: all.
        """
        per_event = self._per_event(codes, possible)
        rows = np.repeat(np.arange(len(codes)), per_event)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(per_event) - per_event, per_event)
        places = self._starts[codes[rows]] + within
        return pl.DataFrame({ROW: rows, PLACE: places}, schema={ROW: pl.Int64, PLACE: pl.Int64})

    def count(self, codes: Codes, possible: Mask | None) -> int:
        """How many rows `expanded` gives."""
        return int(self._per_event(codes, possible).sum())

    def _per_event(self, codes: Codes, possible: Mask | None) -> Codes:
        per_event: Codes = self._counts[codes]
        return per_event if possible is None else np.where(possible, per_event, 0)


def _numbers(projected: Sequence[Solution]) -> pl.Series:
    numbers = {solution: i for i, solution in enumerate(dict.fromkeys(projected))}
    return pl.Series([numbers[solution] for solution in projected], dtype=pl.Int64)
