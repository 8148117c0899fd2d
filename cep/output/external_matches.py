"""Matches that were found elsewhere, as an archive's SPARQL finds them: put into output order, made into rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from ...expressions import Ints
from ...language.nodes import Query
from ..order import Candidates
from ..settled_query import settled_query
from .match_projection import MatchProjection
from .match_table import MatchTable
from .row_output import MatchFrame

__all__ = ["adopted_matches"]


def adopted_matches(query: Query, bound: Mapping[str, pl.DataFrame]) -> MatchFrame:
    """Matches of a query over several events, none of whose variables is repeated or left unbound.

    Args:
        query: which reports all matches, each with its last event.
        bound: by event variable, the candidate that each match binds it to, row by row.
    """
    query, numbers = settled_query(query), _numbers(bound)
    # Of matches of the same events, the operators find those first whose first variable's event is earlier.
    order = np.lexsort(numbers[::-1])
    placed = zip(bound.items(), numbers[:, order], strict=True)
    candidates = {v: Candidates(frame[order], number, 0) for (v, frame), number in placed}
    size = len(next(iter(bound.values())))
    time = np.max([of.time for of in candidates.values()], axis=0)
    found = MatchTable(np.zeros(size, np.int64), dict.fromkeys(bound, np.arange(size)), time)
    projection = MatchProjection(query, partial=False)
    projected = projection.project(projection.sorted(found, candidates, once=False), candidates)
    return replace(projected, densest=int(np.bincount(numbers.max(axis=0)).max(initial=0)))


def _numbers(bound: Mapping[str, pl.DataFrame]) -> Ints:
    """The place of each event in the total order of those that occur, a row per variable."""
    events = pl.concat([frame.select("_time", "_id") for frame in bound.values()])
    distinct = events.unique().sort("_time", "_id").with_row_index("#number")
    numbered = events.join(distinct, on=["_time", "_id"], how="left", maintain_order="left")["#number"]
    return numbered.to_numpy().astype(np.int64).reshape(len(bound), -1)
