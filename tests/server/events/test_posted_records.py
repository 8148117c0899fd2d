"""Records come in four forms, all or none of them."""

from __future__ import annotations

import pytest
from kaicep.server.events.posted_records import json_lines
from kaicep.server.problem import ProblemError


@pytest.mark.parametrize(
    ("media", "body"),
    [
        ("application/json", b'{"a": 1}'),
        ("application/json; charset=utf-8", b'[{"a":1}]'),
        ("application/x-ndjson", b'{"a":1}\n\n'),
        ("application/jsonl", b' {"a":1}'),
    ],
)
def test_a_record_is_a_line(media: str, body: bytes) -> None:
    assert json_lines(media, body) == [b'{"a":1}']


def test_lines_are_kept_as_they_came() -> None:
    text = b'{"a": 1.10, "b": 123456789012345678901234567890}\r\n{"a": "\xc3\xa4"}'
    assert json_lines("application/x-ndjson", text) == text.split(b"\r\n")


def test_fields_of_csv_are_texts_and_empty_ones_are_none() -> None:
    assert json_lines("text/csv", b'a,b\r\n1,"x,y"\r\n,z\r\n') == [b'{"a":"1","b":"x,y"}', b'{"b":"z"}']


def test_the_mark_that_spreadsheets_put_before_utf_8_is_no_part_of_a_name() -> None:
    assert json_lines("text/csv", b"\xef\xbb\xbfa,b\r\n1,2\r\n") == [b'{"a":"1","b":"2"}']


@pytest.mark.parametrize("media", ["application/json", "application/x-ndjson"])
@pytest.mark.parametrize("documents", [False, True])
def test_the_mark_of_windows_is_no_part_of_json(media: str, *, documents: bool) -> None:
    assert json_lines(media, b'\xef\xbb\xbf{"a":1}\r\n', documents=documents) == [b'{"a":1}']


def test_whole_numbers_keep_all_their_digits() -> None:
    """Identities that are such numbers would become the same one."""
    text = b'{"a":12345678901234567890123,"b":[18446744073709551616,"\xc3\xa4"]}'
    assert json_lines("application/json", b"[" + text + b', {"a": 9223372036854775807}]') == [
        text,
        b'{"a":9223372036854775807}',
    ]
    assert json_lines("application/json", text, documents=True) == [text]


def test_no_record_is_no_error() -> None:
    assert json_lines("application/json", b"[]") == json_lines("text/csv", b"a,b\n") == []


@pytest.mark.parametrize(
    ("media", "body", "status", "message"),
    [
        (None, b"{}", 415, "does not say what its body is"),
        ("text/plain", b"{}", 415, "text/plain is no form of records"),
        ("text/csv; charset=latin-1", b"a\n1", 415, "the records are in"),
        ("application/json", b'[{"a": 1}, 2]', 400, "record 2: a record is an object"),
        ("application/json", b'{"a": }', 400, "body:1:7: no JSON"),
        ("application/x-ndjson", b'{"a": 1}\n{"a": \n', 400, "body:2:"),
        ("text/csv", b"a,b\n1\n", 400, "line 2: more or fewer values than names"),
        ("text/csv", b"a;b\n1;2\n", 400, "line 1: one name alone, 'a;b': write commas between names and values"),
        ("text/csv", b"a,b,a\n1,2,3\n", 400, "line 1: the name 'a' twice"),
        ("text/csv", b"a\n\xff\n", 400, "the body: no CSV"),
    ],
)
def test_what_is_no_record_is_refused(media: str | None, body: bytes, status: int, message: str) -> None:
    with pytest.raises(ProblemError, match=message) as refused:
        json_lines(media, body)
    assert refused.value.status == status


def test_documents_are_taken_as_they_are() -> None:
    """A pack of SenML is an array, and stays one; a line each where the body says so."""
    pack = b'[{"bn": "a", "v": 1},\n {"v": 2}]'
    for media in ("application/json", "application/senml+json", "application/ld+json"):
        assert json_lines(media, pack, documents=True) == [b'[{"bn":"a","v":1},{"v":2}]']
    assert json_lines("application/x-ndjson", b'[1]\n\n{"a": 2}\n', documents=True) == [b"[1]", b'{"a":2}']


@pytest.mark.parametrize(("media", "status"), [("text/csv", 415), ("application/json", 400)])
def test_what_is_no_document(media: str, status: int) -> None:
    with pytest.raises(ProblemError) as refused:
        json_lines(media, b"{", documents=True)
    assert refused.value.status == status


@pytest.mark.parametrize("number", [b"1", b"1234567890123456789012"])
def test_records_of_any_depth_are_taken_or_refused(number: bytes) -> None:
    """What the engine can still judge is left to it."""
    for depth in (10, 300, 900):
        (line,) = json_lines("application/json", _nested(depth, number))
        assert line == _nested(depth, number)
    for depth in (1000, 1020):
        with pytest.raises(ProblemError, match="nested more than 64 deep"):
            json_lines("application/json", _nested(depth, number))


def _nested(depth: int, inmost: bytes) -> bytes:
    return b'{"a":' + b"[" * depth + inmost + b"]" * depth + b"}"
