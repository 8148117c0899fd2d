"""Complete matches as columns, before they are rows: which candidates each variable is bound to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
import pyarrow as pa

from ...expressions import Bools, Ints
from ..order import Candidates

__all__ = ["UNBOUND", "MatchTable", "gathered", "list_column"]

UNBOUND = -1
"""The row of a variable that a match does not bind."""


@dataclass(frozen=True, slots=True)
class MatchTable:
    """Matches.

    Attributes:
        disjunct: the place of the disjunct of the pattern that each satisfies.
        rows: by variable, the row of its candidate in each match, or `UNBOUND`; of one that is repeated, the rows of
            its repetitions in order, match after match.
        time: when each match becomes true, in microseconds.
        offsets: by variable that is repeated, where each match's rows begin, and where the last one's end.
        windows: of a query in contexts, the context window that each match lies in.
    """

    disjunct: Ints
    rows: Mapping[str, Ints]
    time: Ints
    offsets: Mapping[str, Ints] = field(default_factory=dict)
    windows: Ints | None = None

    def at(self, places: Ints | Bools) -> MatchTable:
        """Some of the matches."""
        chosen = np.flatnonzero(places) if places.dtype == bool else places
        rows, offsets = {}, {}
        for v, of_variable in self.rows.items():
            if v in self.offsets:
                start, count = self.offsets[v][chosen], np.diff(self.offsets[v])[chosen]
                offsets[v] = np.concatenate([[0], np.cumsum(count)])
                shift = np.repeat(start - offsets[v][:-1], count)
                rows[v] = of_variable[np.arange(len(shift)) + shift]
            else:
                rows[v] = of_variable[chosen]
        windows = None if self.windows is None else self.windows[chosen]
        return MatchTable(self.disjunct[chosen], rows, self.time[chosen], offsets, windows)

    def of_disjunct(self, disjunct: int) -> tuple[Ints, dict[str, Ints]]:
        """The places of the matches that satisfy a disjunct, and what they bind; nothing is repeated."""
        places = np.flatnonzero(self.disjunct == disjunct)
        return places, {v: rows[places] for v, rows in self.rows.items() if len(places) and rows[places[0]] != UNBOUND}

    def numbers(self, candidates: Mapping[str, Candidates]) -> tuple[Ints, Ints]:
        """The numbers of the first and of the last event of each variable, a row per variable; −1: unbound."""
        first, last = [], []
        for v, rows in self.rows.items():
            number = candidates[v].number
            if v in self.offsets:
                start, end = self.offsets[v][:-1], self.offsets[v][1:]
                of_rows = np.append(number[rows], -1)
                first.append(np.where(end > start, of_rows[start], -1))
                last.append(np.where(end > start, of_rows[end - 1], -1))
            else:
                first.append(number[rows] if (rows >= 0).all() else np.where(rows < 0, -1, np.append(number, -1)[rows]))
                last.append(first[-1])
        return np.stack(first), np.stack(last)

    def first_numbers(self, candidates: Mapping[str, Candidates]) -> Ints:
        """The number of each match's first event."""
        first, _ = self.numbers(candidates)
        bound: Ints = np.where(first < 0, first.max(initial=0), first).min(axis=0)
        return bound

    def last_numbers(self, candidates: Mapping[str, Candidates]) -> Ints:
        """The number of each match's last event."""
        last: Ints = self.numbers(candidates)[1].max(axis=0)
        return last

    def lengths(self) -> Ints:
        """How many events each match has."""
        counts = [np.diff(self.offsets[v]) if v in self.offsets else rows >= 0 for v, rows in self.rows.items()]
        lengths: Ints = np.sum(counts, axis=0)
        return lengths

    def lists(self, variable: str, values: Ints) -> pl.Series:
        """A variable's values match by match, of which each candidate has one; none where it is unbound."""
        rows, offsets = self.ranges(variable)
        return list_column(pl.Series(values[rows]), offsets)

    def events(self, candidates: Mapping[str, Candidates]) -> pl.Series:
        """The numbers of each match's events, in total order."""
        ranges = {v: self.ranges(v) for v in self.rows}
        number = np.concatenate([candidates[v].number[rows] for v, (rows, _) in ranges.items()])
        every = np.arange(len(self.time))
        match = np.concatenate([np.repeat(every, np.diff(offsets)) for _, offsets in ranges.values()])
        in_order = pl.Series(number[np.lexsort((number, match))])
        return list_column(in_order, np.concatenate([[0], np.cumsum(self.lengths())]))

    def ranges(self, variable: str) -> tuple[Ints, Ints]:
        """The rows of a variable that are bound, match by match, and where each match's begin; the last one's end."""
        rows = self.rows[variable]
        if variable in self.offsets:
            return rows, self.offsets[variable]
        bound = rows >= 0
        return rows[bound], np.concatenate([[0], np.cumsum(bound)])

    @staticmethod
    def joined(parts: Sequence[MatchTable], variables: Sequence[str]) -> MatchTable:
        """All matches, in which nothing is repeated; without parts there are none."""
        nothing = np.empty(0, dtype=np.int64)
        if not parts:
            return MatchTable(nothing, dict.fromkeys(variables, nothing), nothing)
        if len(parts) == 1:
            return parts[0]
        rows = {v: np.concatenate([part.rows[v] for part in parts]) for v in variables}
        disjunct, time = (np.concatenate([getattr(part, name) for part in parts]) for name in ("disjunct", "time"))
        windows = [part.windows for part in parts if part.windows is not None]
        return MatchTable(disjunct, rows, time, windows=np.concatenate(windows) if windows else None)


def list_column(values: pl.Series, offsets: Ints) -> pl.Series:
    """Lists of values that stand one behind the other; `offsets`: where each begins, and where the last one ends."""
    return pl.Series(pa.LargeListArray.from_arrays(pa.array(offsets), values.to_arrow()))


def gathered(column: pl.Series, rows: Ints) -> pl.Series:
    """The values of rows; null where a row is `UNBOUND`."""
    if (rows >= 0).all():
        return column[rows]
    return pl.concat([column, pl.Series([None], dtype=column.dtype)])[np.where(rows < 0, column.len(), rows)]
