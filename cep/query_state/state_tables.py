"""States as events: those that are bound, and one for each partial match (LANGUAGE-2 §9)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any

import polars as pl
import pyarrow as pa

from ...expressions import POLARS_TYPES
from ...language.nodes import StreamType
from .held_state import HeldState

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
        if variables is None or name in variables:
            rows = sorted({row for one in state.rows for row in one.get(name, ())})
            frames.append(_with_columns(frame[rows], stream))
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
    rows = [_partial_row(state, one, until, runs) for one, until in zip(state.rows, state.until, strict=True)]
    distinct: dict[str, dict[str, Any]] = {}
    for row in rows:
        row["_id"] = prefix + row["_id"]
        before = distinct.setdefault(row["_id"], row)
        if _later(row["_until"], before["_until"]):
            distinct[row["_id"]] = row
    columns = {name: pl.Series(name, [row.get(name) for row in distinct.values()]) for name in types}
    frame = pl.DataFrame([_typed(column, types[name]) for name, column in columns.items()])
    return frame.sort("_time", "_id").to_arrow()


def _typed(column: pl.Series, wanted: Any) -> pl.Series:
    return column.cast(wanted)


def _later(one: int | None, other: int | None) -> bool:
    return other is not None and (one is None or one > other)


def _partial_row(
    state: HeldState, one: Mapping[str, Sequence[int]], until: int, runs: frozenset[str]
) -> dict[str, Any]:
    bound = {v: state.candidates[v][list(rows)] for v, rows in one.items() if rows}
    ids = {v: frame["_id"].cast(pl.String).to_list() for v, frame in bound.items()}
    times = [t for frame in bound.values() for t in frame["_time"].to_physical().to_list()]
    written = "\x1f".join(f"{v} {' '.join(of)}" for v, of in sorted(ids.items()))
    row: dict[str, Any] = {
        "_id": sha256(written.encode()).hexdigest()[:32],
        "_time": max(times),
        "_since": min(times),
        "_until": None if until >= _NEVER else until,
        "_bound": " ".join(bound),
    }
    for v, frame in bound.items():
        for column in frame.get_columns():
            values = column.to_physical() if column.dtype.is_temporal() else column
            told = values.cast(pl.String).to_list() if column.dtype == pl.Categorical else values.to_list()
            row[f"{v}_{column.name}"] = json.dumps(told, ensure_ascii=False, default=str) if v in runs else told[0]
    return row
