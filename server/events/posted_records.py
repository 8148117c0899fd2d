"""Records that somebody posts: one, many, JSON lines or CSV, as lines of JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator

import orjson

from ...annotator import TOO_DEEP
from ...errors import PipelineError, Place
from ..problem import ProblemError
from ..sparql import content_type_of

__all__ = ["DOCUMENT_TYPES", "RECORD_TYPES", "json_lines"]

RECORD_TYPES = ("application/json", "application/x-ndjson", "application/jsonl", "text/csv")
DOCUMENT_TYPES = (*RECORD_TYPES[:3], "application/senml+json", "application/ld+json")

_DIGITS, _LONG_NUMBER = bytes.maketrans(b"123456789", b"0" * 9), b"0" * 19
"""Some of them are no integers of 64 bits, which orjson rounds: identities of two events would become one."""


def json_lines(content_type: str | None, body: bytes, *, documents: bool = False) -> list[bytes]:
    """The records of a body, each an object on a line; what stands in them is judged by the engine.

    Args:
        content_type: of the request.
        body: one object or an array of them; an object a line; or CSV with names in its first line.
        documents: each object or array is a document, such as a pack of SenML; what stands in it is judged later.

    Raises:
        ProblemError: 415, it is in no such form; 400, something in it is no record: then nothing of it is taken.
    """
    media, charset = content_type_of(content_type)
    known = DOCUMENT_TYPES if documents else RECORD_TYPES
    if media not in known:
        said = "the request does not say what its body is" if media is None else f"{media} is no form of records"
        raise ProblemError(415, said, f"send one of {', '.join(known)}")
    if charset not in (None, "utf-8", "utf8", "us-ascii"):
        raise ProblemError(415, f"the records are in {charset}", "send UTF-8")
    body = body.removeprefix(BOM_UTF8)  # which programs of Windows put before it
    if documents:
        lines = enumerate(body.splitlines(), start=1) if media in RECORD_TYPES[1:3] else [(1, body)]
        return [_line(_exact(line, number), f"line {number}") for number, line in lines if line.strip()]
    if media == "text/csv":
        return list(_of_csv(body))
    return list(_of_array(body) if media == "application/json" else _of_lines(body))


def _of_array(body: bytes) -> Iterator[bytes]:
    value = _exact(body, 1)
    for number, record in enumerate(value if isinstance(value, list) else [value], start=1):
        yield _line(_object(record, number), f"record {number}")


def _of_lines(body: bytes) -> Iterator[bytes]:
    for number, line in enumerate(body.splitlines(), start=1):
        if line.strip():
            _object(_parsed(line, number), number)
            yield line.strip()


def _of_csv(body: bytes) -> Iterator[bytes]:
    """An empty field is no attribute."""
    try:
        rows = csv.DictReader(io.StringIO(body.decode(), newline=""), strict=True)
        names = Counter(name for name in rows.fieldnames or () if name)
        if twice := next((name for name, count in names.items() if count > 1), None):
            raise _wrong("line 1", f"the name '{twice}' twice", "give each column a name of its own")
        alone = next(iter(names), "") if len(names) == 1 else ""
        if re.search(r"[;\t|]", alone):
            raise _wrong("line 1", f"one name alone, '{alone}'", "write commas between names and values")
        for row in rows:
            if None in row or None in row.values():
                hint = "write the names into the first line, and commas between values"
                raise _wrong(f"line {rows.line_num}", "more or fewer values than names", hint)
            yield orjson.dumps({name: value for name, value in row.items() if value})
    except (UnicodeDecodeError, csv.Error) as error:
        raise _wrong("the body", f"no CSV: {error}", "send UTF-8, with commas between values") from error


def _parsed(text: bytes, number: int) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        lines = error.doc.split("\n")
        place = Place("body", number + error.lineno - 1, error.colno, 1, lines[error.lineno - 1])
        raise ProblemError(400, PipelineError(f"no JSON: {error.msg}", place=place.clipped())) from error


def _exact(text: bytes, number: int) -> object:
    """As `_parsed`, for what is written anew: with all digits."""
    value = _parsed(text, number)
    try:
        return json.loads(text) if _LONG_NUMBER in text.translate(_DIGITS) else value
    except RecursionError:  # what is so deep is no record of any stream
        return value


def _object(value: object, number: int) -> object:
    if not isinstance(value, dict):
        raise _wrong(f"record {number}", "a record is an object", 'write {"attribute": value, …}')
    return value


def _line(value: object, place: str) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # a whole number of more than 64 bits, or many levels
        try:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        except RecursionError:
            raise _wrong(place, TOO_DEEP, "send less deep records") from None


def _wrong(place: str, message: str, hint: str) -> ProblemError:
    return ProblemError(400, PipelineError(f"{place}: {message}", hint=hint))
