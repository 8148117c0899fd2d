"""Arrow tables, Polars frames and NumPy arrays of one another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pyarrow as pa
from kaicep.expressions import (
    all_of,
    column_of,
    doubles_of,
    frame_of,
    mask_by,
    mask_of,
    micros,
    moment_of,
    pieces_of,
    timestamps,
    value_codes,
)
from kaicep.expressions.frames import moments


def test_dictionaries_of_a_table_become_plain_columns() -> None:
    table = pa.table({"a": pa.array(["x", "y", "x"]).dictionary_encode(), "b": [1, 2, 3]})
    frame = frame_of(table, ["a"])
    assert frame.schema == {"a": pl.String()}
    assert frame["a"].to_list() == ["x", "y", "x"]


def test_moments_and_microseconds() -> None:
    moment = datetime(2012, 5, 7, 9, 30, 0, 5, tzinfo=UTC)
    assert moment_of(micros(moment)) == moment
    assert micros(timedelta(milliseconds=1)) == 1000
    assert moment_of(2**62) == datetime.max.replace(tzinfo=UTC)
    assert timestamps(moments(np.array([7]))).tolist() == [7]


def test_conditions_hold_where_all_are_true() -> None:
    frame = pl.DataFrame({"a": [True, None, False], "b": [True, True, True]})
    assert mask_of(frame, [pl.col("a"), pl.col("b")]).tolist() == [True, False, False]
    assert mask_of(frame, []).tolist() == [True] * 3
    assert mask_by(frame, all_of([pl.lit(value=True)])).tolist() == [True] * 3


def test_constants_fill_a_column() -> None:
    frame = pl.DataFrame({"a": [1, 2]})
    assert column_of(frame, pl.lit(5)).to_list() == [5, 5]
    assert column_of(frame, pl.col("a")).to_list() == [1, 2]


def test_pieces_are_cut_at_moments_and_lose_nothing() -> None:
    frame = pl.DataFrame({"_time": moments(np.array([1, 2, 2, 2, 3]))})
    pieces = list(pieces_of({"e": frame}, 10, 2))
    times = [(timestamps(piece["e"]["_time"]).tolist(), until) for piece, until in pieces]
    assert times == [([1], 2), ([2, 2, 2], 3), ([3], 10)]


def test_codes_are_the_same_for_equal_values() -> None:
    assert value_codes(pl.Series([0.0, -0.0, None, float("nan"), float("nan")])).tolist() == [0, 0, -1, 1, 1]
    assert value_codes(pl.Series(["a", None]), nulls_match=True).tolist() == [0, 1]


def test_numbers_as_doubles() -> None:
    """Those that no double is exactly are none, and neither are texts."""
    numbers = doubles_of(pl.Series([1, None, -(2**53)], dtype=pl.Int64))
    assert numbers is not None
    assert str(numbers.tolist()) == str([1.0, float("nan"), -(2.0**53)])
    assert doubles_of(pl.Series([2**53 + 1])) is None
    assert doubles_of(pl.Series(["1"])) is None
    doubles = doubles_of(pl.Series([0.5, None]))
    assert doubles is not None
    assert str(doubles.tolist()) == str([0.5, float("nan")])
    nothing = doubles_of(pl.Series([None], dtype=pl.Int64))
    assert nothing is not None
    assert np.isnan(nothing).all()
