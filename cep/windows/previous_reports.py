"""What aggregates were at the report before, group by group (EStreams §5.1.3, changes of aggregates)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ...expressions import Ints
from ..order import group_codes, stable_order

__all__ = ["PreviousReports"]


class PreviousReports:
    """Remembers the latest report of each group.

    Attributes:
        table: what it remembers: a column for each value, and then the group's.
    """

    def __init__(self) -> None:
        self.table = pl.DataFrame()

    def before(self, values: Sequence[pl.Series], groups: Sequence[pl.Series], order: Ints) -> list[pl.Series]:
        """For each report the values of the group's one before; unbound, where it is the first.

        Args:
            values: of all reports, in columns.
            groups: what tells their groups apart.
            order: what sorts the reports by time.
        """
        new = pl.DataFrame([column.alias(f"#{i}") for i, column in enumerate((*values, *groups))])
        known = pl.concat([self.table, new]) if self.table.width else new
        count = known.height - new.height
        codes = self._codes(known, len(values))
        in_time = np.concatenate([np.arange(count), count + order])
        by_group = in_time[stable_order(codes[in_time])]
        first = np.ones(known.height, dtype=bool)
        first[1:] = np.diff(codes[by_group]) != 0
        earlier = np.empty(known.height, dtype=np.int64)
        earlier[by_group] = np.where(first, -1, np.concatenate([[0], by_group[:-1]])[: known.height])
        self.table = known[by_group[np.append(first[1:], True)[: known.height]]]
        wanted = earlier[count:]
        found = [known[f"#{i}"].gather(np.maximum(wanted, 0)) for i in range(len(values))]
        return [column.set(pl.Series(wanted < 0), None) for column in found]

    @staticmethod
    def _codes(known: pl.DataFrame, values: int) -> Ints:
        groups = [known[f"#{i}"] for i in range(values, known.width)]
        return group_codes(groups) if groups else np.zeros(known.height, dtype=np.int64)

    def forget(self, ended: Ints, values: int) -> None:
        """Forget the groups of context windows that have ended; these are told apart by their first column."""
        if self.table.width:
            self.table = self.table.filter(~pl.Series(np.isin(self.table[f"#{values}"].to_numpy(), ended)))
