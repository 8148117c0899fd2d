"""States as events: those that are bound, and one for each partial match (LANGUAGE-2 §9)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

import numpy as np
import polars as pl
import pyarrow as pa

from ...expressions import POLARS_TYPES, Ints, timestamps
from ...language.nodes import StreamType
from .held_state import BoundEvents, HeldState

__all__ = ["partial_table", "state_table"]

_NEVER = 2**61
"""From here on no window ends."""

_MOMENT = pl.Datetime("us", "UTC")


def state_table(state: HeldState, variables: Collection[str] | None, stream: StreamType) -> pa.Table:
    """The events that are bound, each once, in total order.

    Args:
        state: of the query.
        variables: whose events; `None`: those of all.
        stream: what the events look like.
    """
    frames = []
    for name, frame in state.candidates.items():
        if name in state.bound and (variables is None or name in variables):
            frames.append(_with_columns(frame[np.unique(state.bound[name].row)], stream))
    whole = (
        pl.concat(frames)
        if frames
        else _with_columns(pl.DataFrame(schema={"_time": _MOMENT, "_id": pl.String}), stream)
    )
    return whole.unique("_id", keep="first").sort("_time", "_id").to_arrow()


def _with_columns(frame: pl.DataFrame, stream: StreamType) -> pl.DataFrame:
    """With the columns of a stream; those that are not there are unbound."""
    names = ["_time", "_id"]
    for attribute in stream.attributes:
        individual = [attribute.property] if attribute.individual and attribute.property is not None else []
        names += [name for name in (attribute.name, *individual) if name not in names]
    types = {a.name: POLARS_TYPES[a.type] for a in stream.attributes}
    columns = []
    for name in names:
        given = (
            frame[name] if name in frame.columns else pl.Series(name, [None] * frame.height, types.get(name, pl.String))
        )
        wanted = pl.String if name == "_id" else types.get(name)
        plain = given.cast(pl.String) if given.dtype == pl.Categorical else given
        columns.append(plain.cast(wanted) if wanted is not None and plain.dtype != wanted else plain)
    return pl.DataFrame(columns)


def partial_table(state: HeldState, prefix: str, stream: StreamType, runs: frozenset[str]) -> pa.Table:
    """One event for each partial match.

    Args:
        state: of the query.
        prefix: of the ids of its events.
        stream: what they look like.
        runs: the variables whose values are lists.
    """
    types = {"_time": _MOMENT, "_id": pl.String(), **{a.name: POLARS_TYPES[a.type] for a in stream.attributes}}
    if not len(state.until):
        return pl.DataFrame(schema=types).to_arrow()
    values = dict(_moments(state))
    for variable, of in state.bound.items():
        frame, places = state.candidates[variable], _Places.of(of, len(state.until))
        for column in frame.get_columns():
            name = f"{variable}_{column.name}"
            if name in types:
                values[name] = places.lists(column) if variable in runs else places.firsts(column)
    values |= {"_id": _ids(state, prefix), "_bound": _names(state)}
    nothing = pl.Series([None] * len(state.until), dtype=pl.Null)
    frame = pl.DataFrame([values.get(name, nothing).cast(of).alias(name) for name, of in types.items()])
    latest = frame.sort("_until", descending=True, nulls_last=False, maintain_order=True)
    return latest.unique("_id", keep="first").sort("_time", "_id").to_arrow()


def _moments(state: HeldState) -> Iterator[tuple[str, pl.Series]]:
    """When the first and the last event of each partial match were, and when WINDOW ends it."""
    first, last = np.full(len(state.until), _NEVER), np.full(len(state.until), -_NEVER)
    for variable, of in state.bound.items():
        times = timestamps(state.candidates[variable]["_time"])[of.row]
        np.minimum.at(first, of.match, times)
        np.maximum.at(last, of.match, times)
    yield "_since", pl.Series(first)
    yield "_time", pl.Series(last)
    yield "_until", pl.select(pl.when(pl.Series(state.until < _NEVER)).then(pl.Series(state.until))).to_series()


def _names(state: HeldState) -> pl.Series:
    """The names of what each partial match binds."""
    names = [_said(of, len(state.until), pl.lit(variable)) for variable, of in state.bound.items()]
    return pl.select(pl.concat_str(names, separator=" ", ignore_nulls=True)).to_series()


def _ids(state: HeldState, prefix: str) -> pl.Series:
    """What tells partial matches apart: the ids of their events by variable."""
    written = []
    for variable, of in sorted(state.bound.items()):
        ids = state.candidates[variable]["_id"].cast(pl.String)
        own = _Places.of(of, len(state.until)).words(ids)
        written.append(_said(of, len(state.until), pl.lit(f"{variable} ") + own))
    told = pl.select(pl.concat_str(written, separator="\x1f", ignore_nulls=True)).to_series()
    return pl.Series([prefix + sha256(of.encode()).hexdigest()[:32] for of in told], dtype=pl.String)


def _said(of: BoundEvents, count: int, said: pl.Expr) -> pl.Expr:
    """Something of the partial matches that bind a variable."""
    bound = np.zeros(count, dtype=bool)
    bound[of.match] = True
    return pl.when(pl.Series(bound)).then(said)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the events of a variable stand: those of partial match `i` are `row[start[i]:start[i + 1]]`."""

    row: Ints
    start: Ints

    @classmethod
    def of(cls, bound: BoundEvents, count: int) -> _Places:
        """Those of so many partial matches."""
        return cls(bound.row, np.searchsorted(bound.match, np.arange(count + 1)))

    def firsts(self, column: pl.Series) -> pl.Series:
        """Of each partial match the value of its first event."""
        some = self.start[:-1] < self.start[1:]
        first = np.zeros(len(some), dtype=np.int64)
        first[some] = self.row[self.start[:-1][some]]
        chosen = pl.select(pl.when(pl.Series(some)).then(pl.Series(first))).to_series()
        return column.gather(chosen)

    def lists(self, column: pl.Series) -> pl.Series:
        """Of each partial match the values of its events, as JSON."""
        plain = column.to_physical() if column.dtype.is_temporal() else column
        told = (plain.cast(pl.String) if plain.dtype == pl.Categorical else plain).gather(self.row).to_list()
        pieces = (told[first:end] for first, end in pairwise(self.start.tolist()))
        written = [json.dumps(own, ensure_ascii=False, default=str) if own else None for own in pieces]
        return pl.Series(written, dtype=pl.String)

    def words(self, column: pl.Series) -> pl.Series:
        """Of each partial match the strings of its events, a blank between two."""
        if len(self.row) <= len(self.start) - 1 and (np.diff(self.start) <= 1).all():
            return self.firsts(column)
        told = column.gather(self.row).to_list()
        pieces = (told[first:end] for first, end in pairwise(self.start.tolist()))
        return pl.Series([" ".join(own) for own in pieces], dtype=pl.String)
