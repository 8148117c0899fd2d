"""Matches that were found elsewhere, as an archive's SPARQL finds them: put into output order, made into rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from ..expressions import Ints
from ..language.nodes import Query
from .joins import Candidates, Found, Reporting, plan_pattern
from .output import Matches
from .windows import AggregationKernel, Windows

__all__ = ["HELD", "LAST", "WINDOW", "adopted_matches", "adopted_windows"]

WINDOW, LAST = "#window", "#last"
HELD = ("#lower", "#upper", "#reported")
"""Start and end of a window, and when it is reported, in microseconds."""


def adopted_matches(query: Query, bound: Mapping[str, pl.DataFrame]) -> Matches:
    """Matches of a query over several events, none of whose variables is repeated.

    Args:
        query: which reports all matches, each with its last event.
        bound: by event variable, the candidate that each match binds it to, row by row.
    """
    numbers = _numbers(bound)
    # Of matches of the same events, the operators find those first whose first variable's event is earlier.
    order = np.lexsort(numbers[::-1])
    found_at = zip(bound.items(), numbers[:, order], strict=True)
    candidates = {v: Candidates(frame[order], number, 0) for (v, frame), number in found_at}
    size = len(next(iter(bound.values())))
    due = np.max([of.time for of in candidates.values()], axis=0)
    found = Found(np.zeros(size, np.int64), dict.fromkeys(bound, np.arange(size)), due)
    reporting = Reporting(query, optional=len(plan_pattern(query).ways) > 1)
    return reporting.matches(found.at(reporting.order(found, candidates)), candidates)


def adopted_windows(query: Query, held: pl.DataFrame) -> Matches | None:
    """Rows of aggregates over windows of time.

    Args:
        query: with one window, whose variable has no semantic variables.
        held: a row for each window and each candidate that it holds: the candidate's columns; `WINDOW`, equal for the
            candidates of one window; `LAST`, the id of the event that a sliding window ends with, else null; `HELD`.

    Returns:
        A match for each window and group; `None`: there are none.
    """
    kernel = AggregationKernel(query)
    group = kernel.group_of(held)
    held = held.with_columns(pl.Series("#group", group))
    own = held.filter(pl.col("_id") == pl.col(LAST)).select(WINDOW, pl.col("#group").alias("#own"))
    if own.height:  # a sliding window is that of its event's group
        held = held.join(own, on=WINDOW, how="left").filter(pl.col("#group") == pl.col("#own")).drop("#own")
    if not held.height:
        return None
    held = held.sort(WINDOW, "#group", "_time", "_id")
    ends = held.group_by(WINDOW, "#group", maintain_order=True).agg(pl.len(), pl.col(HELD[2], "_time", "_id").last())
    place = ends.with_row_index("#place").sort(HELD[2], "_time", "_id").select("#place", WINDOW, "#group", "len")
    frame = place.with_row_index("#order").join(held, on=[WINDOW, "#group"], how="left").sort("#order", "_time", "_id")
    end = np.cumsum(place["len"].to_numpy().astype(np.int64))
    last = end - 1
    lower, upper, time = (frame[name].to_numpy()[last] for name in HELD)
    windows = Windows(None, end - place["len"].to_numpy(), end, last, lower, upper, time, np.zeros(0, dtype=bool))
    return kernel.adopt(frame.drop("#order", "#place", "len", "#group", WINDOW, LAST, *HELD), windows)


def _numbers(bound: Mapping[str, pl.DataFrame]) -> Ints:
    """The place of each event in the total order of those that occur, a row per variable."""
    events = pl.concat([frame.select("_time", "_id") for frame in bound.values()])
    distinct = events.unique().sort("_time", "_id").with_row_index("#number")
    numbered = events.join(distinct, on=["_time", "_id"], how="left", maintain_order="left")["#number"]
    return numbered.to_numpy().astype(np.int64).reshape(len(bound), -1)
