"""Of the events that several hold, a table has each once, with the columns that any of them has."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl
from kaicep.cep.order import EventTable, held_bytes

_TIMES = [datetime(2026, 1, 1, 0, 0, n // 2, tzinfo=UTC) for n in range(6)]
_TIME = pl.Series("_time", _TIMES, pl.Datetime("us", "UTC"))
_ALL = pl.DataFrame({"_time": _TIME, "_id": [*"abcdef"], "x": [1.5, None, 3.0, 4.0, 5.0, 6.0], "car": [*"uvwxyz"]})


def test_each_finds_its_events_again() -> None:
    """Also after the table was written and read."""
    numbered = _ALL[[5, 0, 2, 2]].select("_time", "_id", "car").with_columns(pl.lit(7).alias("#number"))
    held = [_ALL[1:5].select("_time", "_id", "x"), numbered]
    table = EventTable.of(held)
    again = EventTable.restored(table.snapshot())
    for frame in held:
        rows = table.rows(frame)
        assert rows is not None
        names = [name for name in frame.columns if name != "#number"]
        assert pl.DataFrame(again.columns(names, rows)).equals(frame.select(names))


def test_the_same_rows_are_the_same_columns() -> None:
    table = EventTable.of([_ALL])
    one, other = (table.columns(["x"], np.array([0, 2, 5]))[0] for _ in range(2))
    assert one is other
    assert table.columns(["x", "_id"], np.array([], dtype=np.int64))[1].len() == 0
    assert table.columns(["_id"], np.array([2, 3, 4]))[0].to_list() == ["c", "d", "e"]


def test_numbers_that_count_alike_are_one_column() -> None:
    """From wherever on; others stay as they are."""
    table, rows = EventTable.of([_ALL]), np.array([1, 2, 3])
    one = table.counted(pl.Series("#number", [11, 12, 13]), rows)
    other = table.counted(pl.Series("#number", [13, 14]), np.array([3, 4]))
    assert (one.name, one.to_list(), other.to_list()) == ("#number", [11, 12, 13], [13, 14])
    frames = [of.to_frame() for of in (one, other)]
    assert held_bytes(frames) == held_bytes(frames[1:])
    for numbers in ([11, 13, 14], [1, None, 3]):
        column = pl.Series("#number", numbers, pl.Int64)
        assert table.counted(column, rows) is column


def test_what_is_told_otherwise_is_not_in_it() -> None:
    """Another value of the same event, another event, another type."""
    table = EventTable.of([_ALL, _ALL.with_columns(pl.lit(1).alias("x"))])
    assert table.rows(_ALL.with_columns(pl.lit(9.0).alias("x"))) is None
    assert table.rows(_ALL.with_columns(pl.lit("g").alias("_id"))) is None
    assert table.rows(_ALL.with_columns(pl.lit(1).alias("x"))) is None
    assert table.rows(_ALL) is not None
