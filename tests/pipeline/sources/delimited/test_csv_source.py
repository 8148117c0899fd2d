"""CSV lines as columns of strings."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from kaicep.config import AttributeSettings, SourceSettings, StreamSettings, TimeSettings
from kaicep.pipeline.sources.delimited import CsvDialect, parse_csv_lines, with_header
from kaicep.pipeline.sources.records import RawBatch, RecordOrigin


def parse(*lines: str, dialect: CsvDialect | None = None) -> RawBatch:
    origin = RecordOrigin.of("in.csv", "{name}:{number}")
    return parse_csv_lines(pa.array(lines, pa.string()), origin, dialect or CsvDialect())


def stream(**options: Any) -> StreamSettings:
    return StreamSettings(
        event_type="e",
        time=TimeSettings(attribute="t"),
        attributes={"a": AttributeSettings(), "t": AttributeSettings(), "b": AttributeSettings()},
        source=SourceSettings(format="csv", **options),
    )


def test_the_first_line_names_the_columns() -> None:
    assert parse("a, b", '1,"x, ""y"""', "2,").table.to_pylist() == [{"a": "1", "b": 'x, "y"'}, {"a": "2", "b": None}]


def test_an_empty_quoted_value_is_a_text_and_an_empty_one_is_none() -> None:
    assert parse("a,b", '"",').table.to_pylist() == [{"a": "", "b": None}]


def test_each_file_has_its_own_header() -> None:
    lines = pa.array(["a,b", "1,2", "b,a", "3,4"])
    batch = parse_csv_lines(lines, RecordOrigin(lambda: ("one", "two"), (0, 2), "{name}:{number}"), CsvDialect())
    assert batch.table.to_pylist() == [{"a": "1", "b": "2"}, {"a": "4", "b": "3"}]
    assert [batch.place(row) for row in range(2)] == ["one:2", "two:2"]


def test_without_header_the_columns_are_the_attributes_in_declared_order() -> None:
    assert CsvDialect.of(stream(header=False)).columns == ("a", "t", "b")
    batch = parse("1,2,3", dialect=CsvDialect.of(stream(header="false")))
    assert batch.table.to_pylist() == [{"a": "1", "t": "2", "b": "3"}]


def test_the_dialect_follows_the_source_s_options() -> None:
    dialect = CsvDialect.of(stream(sep="\\t", quote="'", nullValue="-"))
    assert parse("a\tb", "'x\ty'\t-", "\t1", dialect=dialect).table.to_pylist() == [
        {"a": "x\ty", "b": None},
        {"a": "", "b": "1"},
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1", "1 values for 2 columns"),
        ("1,2,3", "3 values for 2 columns"),
        ('1,"x', 'a " is never closed'),
    ],
)
def test_a_malformed_line_is_set_aside_and_the_others_stay(line: str, reason: str) -> None:
    batch = parse("a,b", "1,2", "", line, "3,4")
    assert batch.table.to_pylist() == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]
    assert [(m.text, m.reason, m.place) for m in batch.malformed] == [(line, reason, "in.csv:4")]
    assert (batch.place(1), batch.text(1)) == ("in.csv:5", "3,4")


def test_a_header_that_names_a_column_twice_cannot_be_read() -> None:
    batch = parse("a,a", "1,2")
    assert batch.table.num_rows == 0
    assert [m.reason for m in batch.malformed] == ["the file's first line names the column 'a' twice"]


def test_no_lines_are_no_rows() -> None:
    assert parse().table.num_rows == 0
    assert parse("a,b").table.num_rows == 0


def test_after_a_header_that_is_not_utf8_the_second_line_is_none() -> None:
    """The records keep the columns that can be read, and the header is told, with the way out."""
    raw = pa.array(["t;Værdi;b".encode("iso-8859-1"), b"1;2;3", b"4;5;6"]).view(pa.string())
    batch = parse_csv_lines(raw, RecordOrigin.of("in.csv", "{name}:{number}"), CsvDialect())
    assert batch.table.select(["t", "b"]).to_pylist() == [{"t": "1", "b": "3"}, {"t": "4", "b": "6"}]
    assert [(m.reason, m.place) for m in batch.malformed] == [
        (
            'no UTF-8: if it is windows-1252 or ISO-8859-1, add encoding = "windows-1252" to the stream\'s source',
            "in.csv:1",
        )
    ]
    assert batch.place(0) == "in.csv:2"
    assert with_header(CsvDialect(), raw).columns == ("t", r"V\xe6rdi", "b")


def test_a_carriage_return_within_a_line_sets_that_line_aside() -> None:
    """Quoted it is part of a value, at the end of a line part of the line break; in a header it is white space."""
    batch = parse("a,b", "1,2", "3\r4,5", '"6\r7",8', "9,10\r", '\r"')
    assert batch.table.to_pylist() == [{"a": "1", "b": "2"}, {"a": "6\r7", "b": "8"}, {"a": "9", "b": "10"}]
    assert [(m.text, m.reason, m.place[-2:]) for m in batch.malformed] == [
        ('\r"', 'a " is never closed', ":6"),
        ("3\r4,5", "a carriage return stands within the line", ":3"),
    ]
    assert [batch.place(row)[-2:] for row in range(3)] == [":2", ":4", ":5"]


@pytest.mark.parametrize("length", [200_000, 3_000_000])
def test_a_value_may_be_longer_than_parsers_take_at_once(length: int) -> None:
    batch = parse("a,b", "1," + "x" * length, "2,3,4", "5,6")
    assert batch.table.to_pylist() == [{"a": "1", "b": "x" * length}, {"a": "5", "b": "6"}]
    assert [m.place for m in batch.malformed] == ["in.csv:3"]


def test_a_file_whose_first_line_names_a_column_at_length_is_set_aside() -> None:
    batch = parse("a," + "x" * 1_001, "1,2", "3,4")
    assert [m.reason for m in batch.malformed] == ["the file's first line names a column with 1,001 characters"] * 2
    assert parse("a," + "x" * 1_000, "1,2").malformed == ()
