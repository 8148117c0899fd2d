"""Frames of several queries in one, and apart again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from kaicep.cep.joint.joint_frames import Arrived, by_time, divided, joined, offsets_of, with_arrived
from kaicep.cep.partitions import QUERY_COLUMN, queries_of

START = datetime(2026, 1, 1, tzinfo=UTC)
LIKE = pl.DataFrame(schema={"_time": pl.Datetime("us", "UTC"), "n": pl.Int64})


def frame(*seconds: int) -> pl.DataFrame:
    return pl.DataFrame({"_time": [START + timedelta(seconds=s) for s in seconds], "n": seconds}, LIKE.schema)


def test_they_stand_query_by_query_with_their_numbers() -> None:
    whole = joined([[frame(1), frame(4)], [], [frame(2, 3)]], LIKE)
    assert whole["n"].to_list() == [1, 4, 2, 3]
    numbers = queries_of(whole)
    assert numbers is not None
    assert numbers.tolist() == [0, 0, 2, 2]
    assert joined([[], []], LIKE).schema == {**LIKE.schema, QUERY_COLUMN: pl.Int64}


@pytest.mark.parametrize("other", [frame(2).select("n", "_time"), frame(2).with_columns(pl.col("n").cast(pl.Int8))])
def test_columns_and_types_are_those_of_the_first(other: pl.DataFrame) -> None:
    whole = joined([[frame(1)], [other]], LIKE)
    assert whole.drop(QUERY_COLUMN).equals(frame(1, 2))
    assert joined([[other]], LIKE).drop(QUERY_COLUMN).schema == LIKE.schema


def test_what_was_put_together_is_taken_apart() -> None:
    parts = [frame(1, 5), frame(), frame(0, 3, 6), frame()]
    whole = by_time(joined([[part] for part in parts], LIKE))
    assert whole["n"].to_list() == [0, 1, 3, 5, 6]
    apart = divided(whole, LIKE.columns, len(parts))
    assert all(one.equals(part) for one, part in zip(apart, parts, strict=True))
    nothing = divided(whole.clear(), LIKE.columns, 2)
    assert [one.schema for one in nothing] == [LIKE.schema, LIKE.schema]


def test_where_the_rows_of_each_begin() -> None:
    numbers = queries_of(joined([[frame(1, 5)], [], [frame(2)]], LIKE))
    assert numbers is not None
    assert offsets_of(numbers, 4) == [0, 2, 2, 3, 3]


def test_what_has_come_stands_behind_what_waits() -> None:
    """Query by query; who has nothing of either has no rows."""
    arrived = Arrived(frame(7, 8, 9), np.array([2, 0, 1]))
    assert with_arrived([frame(), frame(), frame()], arrived, LIKE)[QUERY_COLUMN].to_list() == [0, 0, 2]
    both = with_arrived([frame(5), frame(6), frame()], arrived, LIKE)
    assert both["n"].to_list() == [5, 7, 8, 6, 9]
    assert both[QUERY_COLUMN].to_list() == [0, 0, 0, 1, 2]
