"""Windows that were found elsewhere, as an archive's SPARQL finds them: put into output order, aggregated."""

from __future__ import annotations

import numpy as np
import polars as pl

from ...language.nodes import Query
from ..output import MatchFrame
from ..settled_query import settled_query
from .aggregation import AggregationKernel
from .window_frames import Windows

__all__ = ["HELD", "LAST", "WINDOW", "adopted_windows"]

WINDOW, LAST = "#window", "#last"
HELD = ("#lower", "#upper", "#reported")
"""Start and end of a window, and when it is reported, in microseconds."""


def adopted_windows(query: Query, held: pl.DataFrame) -> MatchFrame | None:
    """Rows of aggregates over windows of time.

    Args:
        query: with one window, whose variable has no semantic variables.
        held: a row for each window and each candidate that it holds: the candidate's columns; `WINDOW`, equal for the
            candidates of one window; `LAST`, the id of the event that a sliding window ends with, else null; `HELD`.

    Returns:
        A match for each window and group; `None`: there are none.
    """
    kernel = AggregationKernel(settled_query(query))
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
