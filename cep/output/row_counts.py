"""How many matches, or windows, became how many rows: where they vanish between being found and being handed over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...expressions import Bools, Ints

__all__ = ["ConditionCount", "QueryCounts", "RowCounts"]


class QueryCounts:
    """Of how much of each of several queries a condition was true.

    Attributes:
        asked: by query.
        held: by query.
        open: of which queries it was true of nothing before.
    """

    def __init__(self, open_of: Bools) -> None:
        self.open = open_of
        self.asked, self.held = (np.zeros(len(open_of), dtype=np.int64) for _ in range(2))

    def add(self, asked: Ints, held: Ints) -> None:
        """Count some more: the queries of what it was asked of, and of what it was true of."""
        self.asked += np.bincount(asked, minlength=len(self.open))
        self.held += np.bincount(held, minlength=len(self.open))


@dataclass(slots=True)
class ConditionCount:
    """Of how much a condition on the events of a match was true, since the operator was made.

    Attributes:
        clause: `JOIN`, `HAVING`, `PARTITION BY`, or `SELECT` for the comparison of an item.
        text: of the condition.
        looked_up: whether it is an equality by which events are looked up, never asked of combinations: of how many
            events of one side, and how many of them have an equal on the other, is counted until there is one.
        asked: combinations of events that it was asked of, those that earlier conditions had left.
        held: those of which it was true.
        of_queries: while several queries are answered together, the counts of each; `None`: it is of one.
    """

    clause: str = "JOIN"
    text: str = ""
    looked_up: bool = False
    asked: int = 0
    held: int = 0
    of_queries: QueryCounts | None = None

    def add(self, asked: int, held: int) -> None:
        """Count some more."""
        self.asked += asked
        self.held += held


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Of a query's operator, since it was made; no snapshot has them.

    Attributes:
        found: matches, or windows; of a query that reports candidates these.
        standing: of which HAVING and the comparisons of items are true, and which AFTER MATCH lets stand.
        rows: what DISTINCT and LIMIT leave of them, different solutions of one row counted once.
        reported: rows that were handed over; OUTPUT keeps some back, or drops them.
        conditions: those that were asked while matches were looked for; empty where automata look for them.
    """

    found: int = 0
    standing: int = 0
    rows: int = 0
    reported: int = 0
    conditions: tuple[ConditionCount, ...] = ()
