"""What a file's first lines show of its dialect."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.config import AttributeSettings, SourceSettings, StreamSettings, TimeSettings, UnpivotSettings
from kaicep.pipeline.sources import RawBatch
from kaicep.pipeline.sources.delimited import SEPARATORS, CsvDialect, parse_csv_lines, sniff_separator
from kaicep.pipeline.sources.records import RecordOrigin

names = st.lists(st.text("abcxyz _", min_size=1).map(str.strip).filter(bool), min_size=2, max_size=6, unique=True)


def stream(**options: Any) -> StreamSettings:
    return StreamSettings(
        event_type="e",
        time=TimeSettings(attribute="t"),
        attributes={
            "point": AttributeSettings(property="p", individual="e:{}"),
            "value": AttributeSettings(datatype="xsd:double"),
            "note": AttributeSettings(datatype="xsd:string"),
        },
        source=SourceSettings(format="csv", **options),
    )


def parse(*lines: str, **options: Any) -> list[dict[str, object]]:
    return list(batch(*lines, **options).table.to_pylist())


def batch(*lines: str, **options: Any) -> RawBatch:
    origin = RecordOrigin.of("in.csv", "{name}:{number}")
    return parse_csv_lines(pa.array(lines, pa.string()), origin, CsvDialect.of(stream(**options)))


@given(names, st.sampled_from(SEPARATORS), st.integers(1, 5))
def test_the_separator_of_a_header_is_found(columns: list[str], separator: str, rows: int) -> None:
    """Without any expectation, from names and values that hold no separator."""
    lines = [separator.join(columns)] + [separator.join("1.5" for _ in columns)] * rows
    assert sniff_separator(lines, '"', frozenset()) == separator


def test_expected_names_settle_what_is_not_clear() -> None:
    """A note full of semicolons is no table of semicolons."""
    lines = ["t,note", "1,a;b", "2,c;d"]
    assert sniff_separator(lines, '"', frozenset({"t", "note"})) == ","
    assert sniff_separator(["t;x,y", "1;2,5"], '"', frozenset({"t"})) == ";"


def test_without_a_header_the_number_of_values_tells() -> None:
    lines = ("2026-01-01;a;1,5;x", "2026-01-02;a;1,5;y")
    assert [row["value"] for row in parse(*lines, header=False)] == ["1.5", "1.5"]


def test_one_column_is_one_column() -> None:
    assert sniff_separator(["t", "2026-01-01"], '"', frozenset({"t"})) == ","
    assert sniff_separator([], '"', frozenset()) == ","


def test_each_file_may_have_a_separator_of_its_own() -> None:
    lines = pa.array(["t,value", "1,2", "t;value", "3;4"])
    origin = RecordOrigin(lambda: ("one", "two"), (0, 2), "{name}:{number}")
    found = parse_csv_lines(lines, origin, CsvDialect.of(stream()))
    assert found.table.to_pylist() == [{"t": "1", "value": "2"}, {"t": "3", "value": "4"}]


def test_a_stated_separator_is_not_doubted() -> None:
    assert parse("t;value", "1;2", sep=",") == [{"t;value": "1;2"}]


def test_decimal_commas_become_points_where_numbers_are_expected() -> None:
    """Texts, ids and columns that nobody declares keep their commas."""
    rows = parse("t;point;value;note;other", "1;a,1;1,5;2,5;3,5", "2;b;-1.234,25;;4")
    assert rows[0] == {"t": "1", "point": "a,1", "value": "1.5", "note": "2,5", "other": "3,5"}
    assert rows[1]["value"] == "-1234.25"


@pytest.mark.parametrize(
    ("options", "line", "value"),
    [
        ({}, '1,"2,5"', "2.5"),
        ({}, '1,"1,234"', "1,234"),  # thousands as well as not: left as it is, and told when it is no number
        ({"decimal": ","}, '1,"1,234"', "1.234"),
        ({"decimal": "."}, '1,"2,5"', "2,5"),
    ],
)
def test_where_values_are_separated_by_commas_a_number_has_to_show_its_decimal_comma(
    options: dict[str, str], line: str, value: str
) -> None:
    assert parse("t,value", line, **options)[0]["value"] == value


def test_all_columns_of_a_wide_table_may_be_numbers() -> None:
    wide = {"unpivot": UnpivotSettings(name="point", value="value")}
    assert parse("t;room 1;room 2", "1;2,5;3,5", **wide) == [{"t": "1", "room 1": "2.5", "room 2": "3.5"}]
    text = {"unpivot": UnpivotSettings(name="point", value="note")}
    assert parse("t;room 1", "1;2,5", **text) == [{"t": "1", "room 1": "2,5"}]
