"""What an event variable's candidates look like, and their place in the total order of events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ...expressions import POLARS_TYPES, Ints, timestamps
from ...language.nodes import Source
from ..partitions import QUERY_COLUMN, WINDOW_COLUMN, reserved_types

__all__ = ["PLACE", "Candidates", "empty_candidates", "number_events", "numbered_events"]

PLACE = "#place"
"""Of queries in contexts, what orders candidates: one event has it in every context window, unlike its number."""

_FAR = 2**62


@dataclass(slots=True)
class Candidates:
    """One variable's candidates that can take part, in total order.

    Attributes:
        frame: their columns.
        number: each row's event number (`number_events`).
        first_new: rows from here on were released last.
        codes: by the key's position in the plan, codes that are comparable between variables.
    """

    frame: pl.DataFrame
    number: Ints
    first_new: int
    time: Ints = field(init=False)
    codes: dict[int, Ints] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.time = timestamps(self.frame["_time"])

    def by_place(self) -> Candidates:
        """The same, the rows of one event numbered alike in whichever context windows it lies."""
        return Candidates(self.frame, self.frame[PLACE].to_numpy(), self.first_new) if PLACE in self.frame else self


def empty_candidates(source: Source) -> pl.DataFrame:
    """No candidates, with the columns that the query uses of them.

    A column that is neither an attribute nor a semantic variable holds the IRIs of individuals.
    """
    types = {attribute.name: POLARS_TYPES[attribute.type] for attribute in source.stream.attributes}
    types |= {f"?{name}": POLARS_TYPES[of] for name, of in (*source.bindings, *source.window_attributes)}
    types |= reserved_types(source.columns)
    used = {name: types.get(name, pl.String()) for name in source.columns}
    return pl.DataFrame(schema={"_time": pl.Datetime("us", "UTC"), "_id": pl.String(), **used})


def number_events(frames: Mapping[str, pl.DataFrame], first: int) -> dict[str, Ints]:
    """Numbers events by their place in the total order (T, id), from `first` on; of several queries (T, query, id).

    Args:
        frames: per variable, candidates in total order. An event may stand in several frames, and several times in one.
        first: the number of the first event.

    Returns:
        Per variable the number of each row's event: equal for the same event, greater for later ones. In each context
        window, and for each of several queries, it is an event of its own.
    """
    return numbered_events(frames, first)[0]


def numbered_events(frames: Mapping[str, pl.DataFrame], first: int) -> tuple[dict[str, Ints], dict[str, Ints]]:
    """The same, and `PLACE`: of each row the number of its event in the first of its context windows."""
    firsts = _different(frames)
    if len(set(firsts.values())) < len(frames):
        of_firsts, places_of = numbered_events({v: frames[v] for v in frames if firsts[v] == v}, first)
        return {v: of_firsts[firsts[v]] for v in frames}, {v: places_of[firsts[v]] for v in frames}
    time = np.concatenate([timestamps(frame["_time"]) for frame in frames.values()])
    queries = _numbers(QUERY_COLUMN, frames)
    order = _by_time(time, queries) if len(frames) > 1 else np.arange(len(time))
    time = time[order]
    tied = np.flatnonzero(time[1:] == time[:-1])
    if queries is not None:
        tied = tied[queries[order[tied]] == queries[order[tied + 1]]]
    windows = _numbers(WINDOW_COLUMN, frames) if len(tied) else None
    new_event = np.ones(len(time), dtype=bool)
    new_number = new_event if windows is None else new_event.copy()
    if len(tied):
        ids = pl.concat([frame["_id"] for frame in frames.values()])
        before, after = ids[order[tied]], ids[order[tied + 1]]
        differ = (before != after).to_numpy()
        backwards = (before > after).to_numpy() if differ.any() else np.zeros(len(tied), dtype=bool)
        if windows is not None:
            backwards |= ~differ & (windows[order[tied]] > windows[order[tied + 1]])
        if backwards.any():
            keys = {"query": queries, "id": ids, "window": windows}
            order = _sorted_ties(order, time, {name: of for name, of in keys.items() if of is not None}, tied)
            differ = (ids[order[tied]] != ids[order[tied + 1]]).to_numpy()
        new_event[tied + 1] = differ
        if windows is not None:
            new_number[tied + 1] = differ | (windows[order[tied]] != windows[order[tied + 1]])
    numbers = np.empty(len(time), dtype=np.int64)
    numbers[order] = number = np.cumsum(new_number) - 1 + first
    ends = np.cumsum([frame.height for frame in frames.values()])
    of_frames = dict(zip(frames, np.split(numbers, ends[:-1]), strict=True))
    if windows is None:
        return of_frames, of_frames
    places = np.empty_like(numbers)
    places[order] = np.maximum.accumulate(np.where(new_event, number, first))
    return of_frames, dict(zip(frames, np.split(places, ends[:-1]), strict=True))


def _different(frames: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """By variable, the first one that has the same events, row by row: those of a stream that nothing tells apart."""
    firsts: dict[str, str] = {}
    for variable, frame in frames.items():
        same = (v for v in dict.fromkeys(firsts.values()) if _are_same(frames[v], frame))
        firsts[variable] = next(same, variable)
    return firsts


def _are_same(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    names = ("_time", WINDOW_COLUMN, QUERY_COLUMN)
    if one.height != other.height or one.is_empty():
        return False
    if any((name in one) != (name in other) or (name in one and (one[name] != other[name]).any()) for name in names):
        return False
    return bool((one["_id"] == other["_id"]).all())


def _numbers(name: str, frames: Mapping[str, pl.DataFrame]) -> Ints | None:
    """The numbers of context windows, or of queries."""
    columns = [frame[name].to_numpy() for frame in frames.values() if name in frame]
    return np.concatenate(columns) if columns else None


def _by_time(time: Ints, queries: Ints | None) -> Ints:
    if queries is None:
        return np.argsort(time, kind="stable")
    least, width = int(time.min(initial=0)), int(queries.max(initial=0)) + 1
    if (int(time.max(initial=0)) - least) * width >= _FAR:
        return np.lexsort((queries, time))
    return np.argsort((time - least) * width + queries, kind="stable")  # a few runs that are sorted already


def _sorted_ties(order: Ints, time: Ints, keys: Mapping[str, Ints | pl.Series], tied: Ints) -> Ints:
    among = np.zeros(len(time), dtype=bool)
    among[tied] = among[tied + 1] = True
    rows = np.flatnonzero(among)
    places = {"time": time[rows], **{name: of[order[rows]] for name, of in keys.items()}}
    order = order.copy()
    in_order = pl.DataFrame(places).select(pl.arg_sort_by(list(places), maintain_order=True)).to_series().to_numpy()
    order[rows] = order[rows][in_order]
    return order
