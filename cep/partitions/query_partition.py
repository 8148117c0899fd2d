"""Queries that are alike as one: each is a partition of the candidates of all of them.

Candidates of several queries stand beside each other, each with the number of its query in `QUERY_COLUMN`; the events
of a match, and of a window, are of one query, as `PARTITION BY` says. Source: H2O §V; docs/decisions/273.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from ...expressions import Ints
from ...language.nodes import Query
from .context_partition import RESERVED

__all__ = ["QUERY_COLUMN", "QuerySharing", "is_joint", "partitioned_by_query", "queries_of"]

QUERY_COLUMN = f"{RESERVED}query"


def partitioned_by_query(query: Query) -> Query:
    """The query that kernels run for all that are like this one."""
    partition = tuple((source.variable, QUERY_COLUMN) for source in query.sources)
    sources = tuple(replace(s, columns=tuple(sorted({*s.columns, QUERY_COLUMN}))) for s in query.sources)
    return replace(query, sources=sources, partition_by=(partition, *query.partition_by))


def is_joint(query: Query) -> bool:
    """Whether kernels run it for several queries."""
    return any(column == QUERY_COLUMN for columns in query.partition_by for _, column in columns)


def queries_of(frame: pl.DataFrame) -> Ints | None:
    """The number of each row's query; `None`: all are of one."""
    return frame[QUERY_COLUMN].to_numpy() if QUERY_COLUMN in frame else None


class QuerySharing:
    """Which queries go through a kernel as one, since they are given the same.

    Args:
        groups: by the number in `QUERY_COLUMN`, the queries.
        numbers: what the values of each query's windows are compared with, a row per query.
    """

    def __init__(self, groups: Sequence[Sequence[int]], numbers: pl.DataFrame) -> None:
        self.numbers = numbers
        self._sizes = np.array([len(group) for group in groups], dtype=np.int64)
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._queries = np.array([query for group in groups for query in group], dtype=np.int64)

    @property
    def shares(self) -> bool:
        """Whether there are several in a group."""
        return len(self._queries) > len(self._sizes)

    def each(self, groups: Ints) -> tuple[Ints, Ints]:
        """What was found for groups, for each query of these.

        Args:
            groups: of what was found, in its order.

        Returns:
            The places in that, and the query, of each.
        """
        sizes = self._sizes[groups]
        places = np.repeat(np.arange(len(groups)), sizes)
        within = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return places, self._queries[self._starts[groups][places] + within]
