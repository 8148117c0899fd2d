"""Rows beside rows: which events candidates are, and what stands right before and after them in their partition.

Only rows that are asked for are looked at one by one; of all others no more is known than their codes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ...expressions import Ints, timestamps
from .join_keys import stable_order

__all__ = ["neighbours", "rows_among", "union_of"]


def rows_among(events: pl.DataFrame, candidates: pl.DataFrame, others: Sequence[str] = ()) -> Ints | None:
    """Which rows of `events` candidates are; `None`: one of them is none of the events.

    Args:
        events: in total order, each once; columns `_time`, `_id`.
        candidates: in total order; the same columns.
        others: what else tells events apart.
    """
    keys = ["_id", *others]
    times, wanted = timestamps(events["_time"]), timestamps(candidates["_time"])
    rows = np.searchsorted(times, wanted)
    if not len(rows):
        return rows
    if rows[-1] == events.height:
        return None
    if (times[rows] != wanted).any():
        return None
    differ = np.any([(events[key][rows] != candidates[key]).to_numpy() for key in keys], axis=0)
    left = np.flatnonzero(differ)
    if len(left):  # they are not the first ones with their time stamps
        keys = ["_time", *keys]
        places = events.select(keys).with_row_index("row")
        found = candidates.select(keys)[left].join(places, on=keys, how="left", maintain_order="left")["row"]
        if found.has_nulls():
            return None
        rows[left] = found.to_numpy()
    return rows


def union_of(several: Sequence[Ints], height: int) -> Ints:
    """All these rows of a table of that height, ascending, each once."""
    among = np.zeros(height, dtype=bool)
    for rows in several:
        among[rows] = True
    return np.flatnonzero(among)


def neighbours(codes: Ints, asked: Ints) -> tuple[Ints, Ints, Ints]:
    """The rows of the same code right before and after rows.

    Args:
        codes: of all rows, at least one.
        asked: rows, ascending.

    Returns:
        For each row that is asked for the one before it and the one after it, −1: there is none. The last row of each
        code, ascending.
    """
    order = stable_order(codes)
    in_order = codes[order]
    begins = np.ones(len(codes), dtype=bool)
    begins[1:] = in_order[1:] != in_order[:-1]
    is_asked = np.zeros(len(codes), dtype=bool)
    is_asked[asked] = True
    places = np.flatnonzero(is_asked[order])
    places = places[np.argsort(order[places])]
    behind = (places + 1) % len(codes)
    before = np.where(begins[places], -1, order[places - 1])
    after = np.where(begins[behind], -1, order[behind])
    return before, after, np.sort(order[np.flatnonzero(begins) - 1])
