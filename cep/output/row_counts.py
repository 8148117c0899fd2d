"""How many matches, or windows, became how many rows: where they vanish between being found and being handed over."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RowCounts"]


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Of a query's operator, since it was made; no snapshot has them.

    Attributes:
        found: matches, or windows; of a query that reports candidates these.
        standing: of which HAVING and the comparisons of items are true, and which AFTER MATCH lets stand.
        rows: what DISTINCT and LIMIT leave of them, different solutions of one row counted once.
        reported: rows that were handed over; OUTPUT keeps some back, or drops them.
    """

    found: int = 0
    standing: int = 0
    rows: int = 0
    reported: int = 0
