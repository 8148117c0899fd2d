"""JSON lines as columns: every line counts for itself, and none is lost."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.pipeline.sources.json_source import parse_json_documents, parse_json_lines
from kaicep.pipeline.sources.records import RawBatch, RecordOrigin


def parse(*lines: str) -> RawBatch:
    return parse_json_lines(pa.array(lines, pa.string()), RecordOrigin.of("in.jsonl", "{name}:{number}"), "t")


def rows(batch: RawBatch) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if v is not None} for row in batch.table.to_pylist()]


def test_flat_objects_become_typed_columns() -> None:
    batch = parse('{"t":"2026-01-01T00:00:00Z","a":1,"b":true}', '{"t":"2026-01-01T00:00:01Z","a":2.5}')
    assert batch.table.schema.field("t").type == pa.string()
    assert batch.table.schema.field("a").type == pa.float64()
    assert batch.table.schema.field("b").type == pa.bool_()
    assert batch.malformed == ()


def test_text_that_looks_like_a_date_remains_text() -> None:
    assert rows(parse('{"t":5,"day":"2026-01-01","in":{"day":"2026-01-02"}}')) == [
        {"t": 5, "day": "2026-01-01", "in": {"day": "2026-01-02"}}
    ]


def test_undeclared_and_nested_values_are_kept() -> None:
    assert rows(parse('{"a":{"b":[1,2]}}', '{"x":"y"}')) == [{"a": {"b": [1, 2]}}, {"x": "y"}]


def test_one_value_of_another_kind_turns_its_column_into_text() -> None:
    """The annotation then rejects that record alone."""
    assert rows(parse('{"flow":512.0}', '{"flow":"abc"}', '{"flow":0.5}')) == [
        {"flow": "512"},
        {"flow": "abc"},
        {"flow": "0.5"},
    ]


def test_integers_that_a_double_would_round_are_kept_as_text() -> None:
    assert rows(parse('{"a":9007199254740993}', '{"a":0.5}')) == [{"a": "9007199254740993"}, {"a": "0.5"}]


def test_whole_numbers_keep_all_their_digits() -> None:
    """Identities that are such numbers would become the same one."""
    numbers = ["12345678901234567890123", "12345678901234567890124", "18446744073709551616", "1"]
    table = parse(*(f'{{"a": {number}}}' for number in numbers)).table
    assert table["a"].to_pylist() == numbers


def test_blank_lines_and_a_byte_order_mark_are_no_records() -> None:
    batch = parse('\ufeff{"a":1}', "", "   ", '  {"a":2}\t')
    assert rows(batch) == [{"a": 1}, {"a": 2}]
    assert batch.malformed == ()
    assert [batch.place(row) for row in range(2)] == ["in.jsonl:1", "in.jsonl:4"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"a":1', "no JSON: Expecting ',' delimiter at character 7"),
        ("{a:1}", "no JSON: Expecting property name enclosed in double quotes at character 2"),
        ('{"a":1}{"a":2}', "no JSON: Extra data at character 8"),
        ('{"a":1} x', "no JSON: Extra data at character 9"),
        ('[{"a":1}]', "an array instead of an object"),
        ('"a"', "a string instead of an object"),
        ("5", "a number instead of an object"),
        ("true", "a truth value instead of an object"),
        ("null", "null instead of an object"),
        ('{"a":"\\ud800"}', "no text: half of a surrogate pair"),
        ('{"a":' + "9" * 5_000 + "}", "no JSON that can be read: a number of too many digits"),
        pytest.param("[" * 100_000, "nested more than 64 deep", id="unclosed"),
        *(
            pytest.param(f'{{"a":{up * depth}1{down * depth}}}', "nested more than 64 deep", id=f"{depth}{up}")
            for depth in (65, 500, 800, 2_000, 100_000)
            for up, down in (("[", "]"), ('{"b":', "}"))
        ),
    ],
)
def test_a_malformed_line_is_set_aside_and_the_others_stay(line: str, reason: str) -> None:
    batch = parse('{"a":1}', line, '{"a":2}')
    assert rows(batch) == [{"a": 1}, {"a": 2}]
    assert [(m.text, m.reason, m.place) for m in batch.malformed] == [(line, reason, "in.jsonl:2")]
    assert (batch.place(1), batch.text(1)) == ("in.jsonl:3", '{"a":2}')


def test_an_object_over_two_lines_is_two_malformed_lines() -> None:
    """Although the parser of a whole text would find as many objects as there are lines."""
    batch = parse('{"a":1}{"a":2}', '{"a":', "3}")
    assert rows(batch) == []
    assert len(batch.malformed) == 3


def test_lines_that_are_no_text_are_set_aside() -> None:
    lines = pa.array([b'{"a":"\xff"}', b'{"a":"b"}']).view(pa.string())
    batch = parse_json_lines(lines, RecordOrigin.of("in.jsonl", "{name}:{number}"), "t")
    assert rows(batch) == [{"a": "b"}]
    assert [(m.text, m.place) for m in batch.malformed] == [('{"a":"\\xff"}', "in.jsonl:1")]
    assert batch.malformed[0].reason.startswith("no UTF-8: ")
    assert batch.text(0) == '{"a":"b"}'


def test_not_a_number_is_read_as_python_writes_it() -> None:
    batch = parse('{"a":NaN}', '{"a":1.5}', '{"a":-Infinity}')
    assert str(batch.table["a"].to_pylist()) == "[nan, 1.5, -inf]"


def test_no_lines_are_no_rows() -> None:
    assert parse().table.num_rows == 0
    assert parse("{}", "{}").table.num_rows == 2


SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text()
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "t", "ü"]), SCALARS | st.lists(SCALARS, max_size=2))


@given(st.lists(OBJECTS, max_size=5), st.integers(0, 5))
def test_a_malformed_line_changes_nothing_for_the_others(objects: list[dict[str, Any]], at: int) -> None:
    """The fast way and the way line by line read the same."""
    lines = [json.dumps(each) for each in objects]
    alone, beside = parse(*lines), parse(*lines[:at], "{", *lines[at:])
    assert alone.table.num_rows == len(objects)
    assert rows(alone) == rows(beside)


def test_values_nested_as_deep_as_they_may_be_are_kept() -> None:
    """Brackets in strings are none."""
    lines = ['{"a":' + "[" * 64 + "1" + "]" * 64 + "}", '{"a":"' + "[" * 500 + '"}']
    batch = parse(*lines)
    assert batch.malformed == ()
    assert batch.table.num_rows == 2


@pytest.mark.parametrize("depth", [65, 500, 800, 100_000])
def test_an_item_of_an_array_that_is_nested_too_deep_is_set_aside_alone(depth: int) -> None:
    deep = '{"a":' + "[" * depth + '", ]"' + "]" * depth + "}"
    batch = parse_json_documents([f'[{{"a":1}}, {deep}, {{"a":2}}]'.encode()], lambda: ["in.json"])
    assert rows(batch) == [{"a": 1}, {"a": 2}]
    assert [(m.text, m.reason, m.place) for m in batch.malformed] == [
        (deep, "nested more than 64 deep", "in.json, item 2")
    ]


def test_half_of_a_surrogate_pair_in_an_array_is_set_aside() -> None:
    batch = parse_json_documents([b'[{"a":"\\ud800"}, {"a":"b"}]'], lambda: ["in.json"])
    assert rows(batch) == [{"a": "b"}]
    assert [m.reason for m in batch.malformed] == ["no text: half of a surrogate pair"]
