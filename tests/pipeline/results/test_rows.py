"""Rows are a sequence of dictionaries, and columns for whoever wants them."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kaicep import Rows
from kaicep.errors import PipelineError
from support.result_rows import BEGIN, aggregates, pairs, project, selected

FOUND = [{"x": 1.5, "who": "a"}, {"x": None, "who": "b"}, {"x": 2.5, "who": "a"}]


def rows() -> Rows:
    return Rows(pa.Table.from_pylist(FOUND))


def test_rows_are_dictionaries_in_order() -> None:
    assert list(rows()) == FOUND
    assert len(rows()) == 3
    assert [row["x"] for row in rows()] == [1.5, None, 2.5]
    assert list(reversed(rows())) == FOUND[::-1]


def test_what_evaluate_gives_has_times_and_events() -> None:
    first = selected()[0]
    assert first["_time"] == BEGIN.replace(minute=1)
    assert [len(ids) for ids in first["_events"].values()] == [1]
    assert list(first) == ["sensor", "ppm", "_time", "_events", "_id"]
    assert set(aggregates()[0]["_window"]) == {"start", "end"}


@pytest.mark.parametrize("place", [0, 1, 2, -1, -3])
def test_a_place_is_a_row(place: int) -> None:
    assert rows()[place] == FOUND[place]


@pytest.mark.parametrize("place", [3, -4])
def test_a_place_beyond_the_rows_is_told(place: int) -> None:
    with pytest.raises(IndexError) as caught:
        rows()[place]
    assert str(caught.value) == f"there is no row {place} of 3"


@pytest.mark.parametrize("cut", [slice(1, None), slice(None, 2), slice(2, 0), slice(None, None, -1), slice(0, 3, 2)])
def test_a_slice_is_rows(cut: slice) -> None:
    found = rows()[cut]
    assert isinstance(found, Rows)
    assert list(found) == FOUND[cut]


def test_many_rows_are_given_in_order() -> None:
    many = Rows(pa.table({"n": list(range(10_000))}))
    assert [row["n"] for row in many] == list(range(10_000))


def test_rows_equal_the_lists_that_they_stand_for() -> None:
    assert rows() == FOUND
    assert rows() == FOUND
    assert rows() == rows()
    assert rows() != FOUND[:2]
    assert rows() != [*FOUND[:2], {"x": 2.5, "who": "c"}]
    assert rows() != "abc"
    assert rows() != 3


def test_rows_cannot_be_changed_nor_be_keys() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        rows().table = pa.table({})  # type: ignore[misc]  # on purpose
    with pytest.raises(TypeError):
        hash(rows())
    given = rows()
    given[0]["x"] = 7.0
    assert given == FOUND


def test_columns_go_to_every_library() -> None:
    assert rows().to_arrow().to_pylist() == FOUND
    assert rows().to_polars().equals(pl.DataFrame(FOUND))
    assert rows().to_pandas()["who"].tolist() == ["a", "b", "a"]
    assert pa.table(rows()).to_pylist() == FOUND
    assert pl.DataFrame(rows()).equals(pl.DataFrame(FOUND))
    given = rows()
    assert duckdb.connect().execute("SELECT sum(x) FROM given").fetchall() == [(4.0,)]
    assert isinstance(pd.DataFrame.from_arrow(given), pd.DataFrame)


def test_the_columns_of_evaluate_are_typed_without_any_row() -> None:
    none = project().evaluate("SELECT ?e.ppm AS ppm, ?e.n AS n FILTER (?e.ppm > 9000)", {"air": []})
    assert (len(none), list(none)) == (0, [])
    assert none.columns == ("ppm", "n", "_time", "_events", "_id")
    assert none.to_polars().schema["ppm"] == pl.Float64
    assert repr(none) == "<Rows: 0 rows; ppm, n, _time>"


def test_pandas_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(PipelineError) as caught:
        rows().to_pandas()
    assert str(caught.value) == ("pandas is not installed: run `pip install pandas`, or take to_polars() or to_arrow()")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (selected, "<Rows: 5 rows; sensor, ppm, _time; 2026-01-01T00:01:00Z to 2026-01-01T00:05:00Z>"),
        (lambda: selected()[:1], "<Rows: 1 row; sensor, ppm, _time; 2026-01-01T00:01:00Z>"),
        (rows, "<Rows: 3 rows; x, who>"),
    ],
)
def test_the_representation_is_a_line(found: Any, said: str) -> None:
    assert repr(found()) == said


def test_rows_are_printed_as_a_table() -> None:
    lines = str(selected()).splitlines()
    assert "s:s2" in lines[3]
    assert "_events" not in str(selected())
    many = str(Rows(pa.table({"n": list(range(25))})))
    assert many.splitlines()[-1] == "… and 5 more rows"
    assert " 19 " in many
    assert " 20 " not in many


def test_notebooks_show_a_table() -> None:
    assert pairs()._repr_html_().startswith("<table>")
    assert pairs()._repr_html_().count("<tr>") == 4
