"""Frames of several queries in one, with the number of each row's query, and apart again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl
from polars.exceptions import SchemaError, ShapeError

from ...expressions import Ints, timestamps
from ..candidate_release import conform
from ..order import stable_order
from ..partitions import QUERY_COLUMN, queries_of

__all__ = ["Arrived", "by_time", "divided", "joined", "offsets_of", "with_arrived"]


class Arrived(NamedTuple):
    """Candidates of one variable of several queries that have come.

    Attributes:
        frame: query by query.
        sizes: how many each query has.
    """

    frame: pl.DataFrame
    sizes: Ints


def joined(frames: Sequence[Sequence[pl.DataFrame]], like: pl.DataFrame) -> pl.DataFrame:
    """Frames of several queries, query by query.

    Args:
        frames: of each query, one behind the other.
        like: has the columns and types that the frames are given where they have others.
    """
    some = [frame for of_query in frames for frame in of_query if frame.height]
    try:
        whole = pl.concat(some, rechunk=True) if some else like.clear()
    except (SchemaError, ShapeError):  # to look at the schema of each costs more than all the rest
        whole = pl.concat([conform(frame, like) for frame in some], rechunk=True)
    heights = [sum(frame.height for frame in of_query) for of_query in frames]
    return conform(whole, like).hstack([_numbers(heights)])


def with_arrived(held: Sequence[pl.DataFrame], arrived: Arrived, like: pl.DataFrame) -> pl.DataFrame:
    """What several queries hold, and behind it what has come, query by query; as of `joined`."""
    new = conform(arrived.frame, like).hstack([_numbers(arrived.sizes)])
    if not any(frame.height for frame in held):
        return new
    both = pl.concat([joined([[frame] for frame in held], like), new], rechunk=True)
    return both[np.argsort(both[QUERY_COLUMN].to_numpy(), kind="stable")]


def _numbers(sizes: Ints | Sequence[int]) -> pl.Series:
    """The number of each row's query."""
    return pl.Series(QUERY_COLUMN, np.repeat(np.arange(len(sizes)), sizes))


def by_time(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of all queries by time; those of one query stay in their order."""
    time = timestamps(frame["_time"])
    return frame if (time[1:] >= time[:-1]).all() else frame[np.argsort(time, kind="stable")]


def divided(frame: pl.DataFrame, columns: Sequence[str], count: int) -> list[pl.DataFrame]:
    """Some columns of each query's rows, in their order.

    Args:
        frame: of all queries.
        columns: those that a query by itself has.
        count: how many queries there are.
    """
    queries = queries_of(frame)
    if queries is None or not frame.height:
        return [frame.select(columns).clear()] * count
    own = frame.select(columns)
    if (queries[1:] < queries[:-1]).any():
        own = own[stable_order(queries)]
    offsets = offsets_of(queries, count)
    return [own.slice(first, behind - first) for first, behind in pairwise(offsets)]


def offsets_of(queries: Ints, count: int) -> list[int]:
    """Where the rows of each query begin, query by query, and where the last one's end."""
    behind: list[int] = np.cumsum(np.bincount(queries, minlength=count)).tolist()
    return [0, *behind]
