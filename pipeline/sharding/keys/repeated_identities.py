"""Which events repeat an identity: only those are compared that could be equal.

Where an identity determines its time stamp, only events of equal time stamps are; most streams have few of them. Texts
are compared where their hashes are equal: to look each up in a table of texts costs ten times as much.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from ....expressions import Bools, Ints
from .value_hash import hash_of

__all__ = ["first_ones", "tied_rows"]


def first_ones(ids: pl.Series, times: Ints | None) -> Bools | None:
    """Which rows have an identity for the first time; `None`: all have.

    Args:
        ids: in order of arrival.
        times: their time stamps, where identities determine these; `None`: they do not.
    """
    rows = np.arange(len(ids)) if times is None else tied_rows(times)
    some = ids if len(rows) == len(ids) else ids[rows]
    hashes = np.sort(hash_of(some).to_numpy())
    if not (hashes[1:] == hashes[:-1]).any():
        return None
    fresh = np.ones(len(ids), dtype=bool)
    fresh[rows] = some.is_first_distinct().to_numpy()
    return None if fresh.all() else fresh


def tied_rows(times: Ints) -> Ints:
    """The rows whose time stamp another row has as well, ascending."""
    if (times[1:] >= times[:-1]).all():
        equal = times[1:] == times[:-1]
        order = None
    else:
        order = np.argsort(times, kind="stable")
        equal = times[order[1:]] == times[order[:-1]]
    tied = np.zeros(len(times), dtype=bool)
    tied[1:] |= equal
    tied[:-1] |= equal
    rows: Ints = np.flatnonzero(tied) if order is None else np.sort(order[tied])
    return rows
