"""Events dealt to shards, as parts: each once, and for each query the places of those that it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import polars as pl
import pyarrow as pa

from ....expressions import Bools, Ints, frame_of
from ..keys import shard_of
from ..part_file import MOST_ROWS, Part, PartName, Pieces
from .event_deal import EventDeal

__all__ = ["BEFORE", "EVENTS_OF", "OTHERS", "PLACE", "by_shard", "dealt_parts", "taken"]

EVENTS_OF, OTHERS = "events", "others"
BEFORE = "#greatest"
"""The greatest time stamp before an event in its split."""
PLACE = "_row"
"""The place of a candidate among the events of its split; of its shard, where these are dealt."""
_FEW_SHARDS = 1 << 16
"""So few are sorted by radix."""


def dealt_parts(
    deal: EventDeal, events: pa.Table, candidates: Mapping[tuple[str, str], pl.DataFrame], most: int
) -> Iterator[tuple[PartName, Part]]:
    """The events that candidates are, by shard, and of each taker the places among them.

    Args:
        deal: which events.
        events: of the split, with `BEFORE` if the deal identifies.
        candidates: by taker, `PLACE` and what PATHs bind, in order of arrival.
        most: how many shards there may be.
    """
    shards = deal.shards(most)
    numbers = shard_of([frame_of(events, [deal.column])[deal.column]], shards) if shards > 1 else None
    wanted = _wanted(events.num_rows, candidates)
    judged = ["_id", "_time", BEFORE] if deal.identifies else []
    table = events.select(list(dict.fromkeys([*deal.columns, *judged])))
    place_of = np.empty(events.num_rows, dtype=np.uint32)
    counts = np.zeros(shards, dtype=np.int64)
    for shard, rows in by_shard(numbers, shards, wanted):
        place_of[rows], counts[shard] = np.arange(len(rows)), len(rows)
        yield (EVENTS_OF, deal.stream, deal.column, shard), _pieces(table, rows)
    if deal.identifies and len(wanted) < events.num_rows:
        others = np.setdiff1d(np.arange(events.num_rows), wanted, assume_unique=True)
        for shard, rows in by_shard(numbers, shards, others):
            yield (OTHERS, deal.stream, shard), _pieces(table.select(judged), rows)
    for (unit, variable), frame in candidates.items():
        rows = frame[PLACE].to_numpy()
        own = None if numbers is None else numbers[rows]
        bound = [name for name in frame.columns if name.startswith("?")]
        for shard, some in by_shard(own, shards, np.arange(len(rows))):
            name = (unit, variable, shard)
            if not bound and len(some) == counts[shard]:
                yield name, b""  # all of them
            else:
                places = pl.Series(PLACE, place_of[rows[some]])
                yield name, frame.select(bound)[some].insert_column(0, places) if bound else places.to_frame()


def _wanted(count: int, candidates: Mapping[tuple[str, str], pl.DataFrame]) -> Ints:
    """The rows that some taker takes."""
    found: Bools = np.zeros(count, dtype=bool)
    for frame in candidates.values():
        found[frame[PLACE].to_numpy()] = True
    return np.flatnonzero(found)


def by_shard(numbers: Ints | None, shards: int, rows: Ints) -> Iterator[tuple[int, Ints]]:
    """The rows of each shard that has some, in their order.

    Args:
        numbers: in which shard each row is that there is; `None`: all are in the first.
        shards: how many shards there are.
        rows: those that are dealt.
    """
    if numbers is None or shards == 1:
        yield from [(0, rows)] if len(rows) else []
        return
    own = numbers[rows]
    order = np.argsort(own.astype(np.uint16) if shards <= _FEW_SHARDS else own, kind="stable")
    ends = np.cumsum(np.bincount(own, minlength=shards)).tolist()
    for shard, (start, end) in enumerate(pairwise([0, *ends])):
        if end > start:
            yield shard, rows[order[start:end]]


def _pieces(table: pa.Table, rows: Ints) -> Iterator[pa.Table]:
    """Some rows of a table, as few at a time as are written at a time."""
    whole = len(rows) == table.num_rows
    for start in range(0, len(rows), MOST_ROWS):
        some = table.slice(start, MOST_ROWS) if whole else table.take(pa.array(rows[start : start + MOST_ROWS]))
        yield _plain(some)


def _plain(table: pa.Table) -> pa.Table:
    """The same with dictionaries as what they stand for."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(field.type.value_type))
    return table


def taken(frame: pl.DataFrame, rows: Ints) -> Pieces:
    """Likewise of a frame."""
    whole = len(rows) == frame.height
    for start in range(0, len(rows), MOST_ROWS):
        yield frame[start : start + MOST_ROWS] if whole else frame[rows[start : start + MOST_ROWS]]
