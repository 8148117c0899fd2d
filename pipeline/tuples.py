"""Recorded raw tuples, given as Python dictionaries, as columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pyarrow as pa

RawTuples: TypeAlias = pa.Table | Sequence[Mapping[str, object]]


def raw_table(tuples: RawTuples) -> pa.Table:
    """Columns of raw tuples: every name that occurs is a column, a missing value is null.

    A column whose values have no common Arrow type becomes text, so that one odd value spoils only its own tuple.
    """
    if isinstance(tuples, pa.Table):
        return tuples
    names = list(dict.fromkeys(name for row in tuples for name in row))
    if not names:
        return pa.table({"_": pa.nulls(len(tuples))}).select([])
    return pa.table({name: _column([row.get(name) for row in tuples]) for name in names})


def _column(values: list[object]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if v is None else _text(v) for v in values], pa.string())


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
