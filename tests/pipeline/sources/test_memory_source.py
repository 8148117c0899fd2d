"""Dictionaries and columns as raw tuples: what a value becomes does not depend on the form that it comes in."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
from kaicep import Project, Rows
from kaicep.annotator import AnnotatedBatch
from kaicep.errors import PipelineError
from kaicep.pipeline.sources.json_source import parse_json_lines
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RecordOrigin

AT = "2026-01-01T00:00:00Z"


def annotated(raw: pa.Table) -> AnnotatedBatch:
    attributes = {"n": {"datatype": "xsd:integer"}, "x": {"datatype": "xsd:double"}, "note": {"datatype": "xsd:string"}}
    stream = {"event_type": "<urn:R>", "time": {"attribute": "t"}, "identity": ["n", "t"], "attributes": attributes}
    return Project.parse({"streams": {"s": stream}}).annotators["s"].annotate(raw)


@pytest.mark.parametrize("name", ["n", "x", "note"])
@pytest.mark.parametrize(
    "values",
    [[5.0, "abc"], [True, 1], [2**60, 0.5], [[1, 2], "abc"], [{"b": 1, "a": 2}, "x"], [None, 5], [1e20, ""]],
)
def test_dictionaries_are_read_as_the_lines_of_a_file(name: str, values: list[object]) -> None:
    tuples = [{"t": AT, name: value} for value in values]
    lines = parse_json_lines(pa.array([json.dumps(row) for row in tuples]), RecordOrigin.of("file"), "t")
    given, read = annotated(raw_table(tuples)), annotated(lines.table)
    assert given.events.to_pylist() == read.events.to_pylist()
    assert given.rejected.to_pylist() == read.rejected.to_pylist()


@pytest.mark.parametrize(
    "values", [[5, 0.5], [5.0, "abc"], [True, 2.5], [1e300, 1], [-0.0, 2**60], [float("inf"), 3.0], [2.0**53, 0.5]]
)
def test_the_text_of_a_value_does_not_depend_on_its_company(values: list[object]) -> None:
    tuples = [{"t": AT, "note": value} for value in values]
    alone = [annotated(raw_table([row])).events["note"].to_pylist()[0] for row in tuples]
    assert annotated(raw_table(tuples)).events["note"].to_pylist() == alone


@pytest.mark.parametrize("values", [[5, 0.5], [[1], [0.5, 2.0]], [-0.0, 2.5]])
def test_undeclared_numbers_do_not_depend_on_their_company(values: list[object]) -> None:
    """The id of an event without identity is a digest of the whole tuple, so these count for it."""
    tuples = [{"t": AT, "other": value} for value in values]
    alone = [annotated(raw_table([row])).events["_extra"].to_pylist()[0] for row in tuples]
    assert annotated(raw_table(tuples)).events["_extra"].to_pylist() == alone


def test_an_odd_value_spoils_only_its_own_tuple() -> None:
    found = annotated(raw_table([{"t": AT, "n": 5.0}, {"t": AT, "n": "abc"}]))
    assert found.events["n"].to_pylist() == [5]
    assert found.rejected.to_pylist() == [{"row": 1, "reason": "n: 'abc' is no xsd:integer"}]


def test_moments_may_stand_beside_texts() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    found = annotated(raw_table([{"t": moment, "n": 1}, {"t": AT, "n": 2}]))
    assert found.events["_time"].to_pylist() == [moment, moment]


@pytest.mark.parametrize(("given", "odd"), [(5, "5"), ([{"t": AT}, None], "None"), ("text", "'text'")])
def test_what_is_neither_a_table_nor_dictionaries_is_refused(given: object, odd: str) -> None:
    with pytest.raises(PipelineError) as caught:
        raw_table(given)
    assert str(caught.value) == (
        f"{odd} is no raw tuple: give a list of dictionaries, a data frame (Polars, pandas, DuckDB, pyarrow), or the "
        "path of a file"
    )


COLUMNS = {"t": [AT, "2026-01-01T00:01:00Z"], "n": [1, 2], "x": [0.5, None], "note": ["a", "b"]}


class _Interchange:
    """Has nothing but the interchange protocol."""

    def __dataframe__(self, *, nan_as_null: bool = False, allow_copy: bool = True) -> object:
        return pa.table(COLUMNS).__dataframe__(nan_as_null=nan_as_null, allow_copy=allow_copy)


FRAMES: dict[str, Callable[[], Any]] = {
    "a Polars data frame": lambda: pl.DataFrame(COLUMNS),
    "a lazy frame": lambda: pl.DataFrame(COLUMNS).lazy(),
    "a frame with categories": lambda: pl.DataFrame(COLUMNS, schema_overrides={"note": pl.Categorical}),
    "a pandas data frame": lambda: pd.DataFrame(COLUMNS),
    "part of a pandas data frame": lambda: pd.DataFrame(COLUMNS)[lambda df: df.n > 0],
    "a relation of DuckDB": lambda: duckdb.connect().from_arrow(pa.table(COLUMNS)),
    "a reader": lambda: pa.table(COLUMNS).to_reader(),
    "a record batch": lambda: pa.table(COLUMNS).to_batches()[0],
    "a dataset": lambda: pa.dataset.dataset(pa.table(COLUMNS)),
    "a scanner": lambda: pa.dataset.dataset(pa.table(COLUMNS)).scanner(),
    "an interchange frame": _Interchange,
    "rows of a query": lambda: Rows(pa.table(COLUMNS)),
}


@pytest.mark.parametrize("form", FRAMES)
def test_columns_of_every_library_are_the_same_events(form: str) -> None:
    """Ids are made of all values, so that an index, or a type of another width, would show."""
    given, expected = annotated(raw_table(FRAMES[form]())), annotated(pa.table(COLUMNS))
    assert given.events.to_pylist() == expected.events.to_pylist()
    assert given.events["x"].to_pylist() == [0.5, None]
    assert given.events["_extra"].null_count == 2


def test_an_index_without_a_name_is_no_attribute() -> None:
    assert raw_table(pd.DataFrame(COLUMNS)[1:].sort_values("x")).column_names == ["t", "n", "x", "note"]
    named = pd.DataFrame(COLUMNS).set_index("t")
    assert sorted(raw_table(named).column_names) == ["n", "note", "t", "x"]


def test_columns_of_mixed_values_are_told() -> None:
    with pytest.raises(PipelineError) as caught:
        raw_table(pd.DataFrame({"t": [AT, AT], "n": [1, "abc"]}, dtype=object))
    assert str(caught.value).startswith("the columns of the DataFrame cannot be read: ")
    assert str(caught.value).endswith(": let each column hold values of one kind")


@pytest.mark.parametrize("form", [pa.Table.from_pydict, lambda columns: pa.table(columns).to_reader()])
def test_columns_of_texts_that_are_no_utf8_are_told(form: Callable[[dict[str, pa.Array]], Any]) -> None:
    with pytest.raises(PipelineError, match=r"the columns of the .* cannot be read: .*Invalid UTF8 sequence at string"):
        raw_table(form({"t": pa.array([b"a", b"\xff"], pa.binary()).view(pa.string())}))


def test_a_dictionary_nested_too_deep_is_refused() -> None:
    deep: object = 1
    for _ in range(65):
        deep = {"in": deep}
    with pytest.raises(PipelineError) as refused:
        raw_table([{"a": 1}, {"a": deep}])
    assert str(refused.value) == "raw tuple 2 is nested more than 64 deep: leave out what lies so deep"
