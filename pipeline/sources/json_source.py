"""JSON, read as columns: Arrow's parser for what is well formed, line by line for a batch that is not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from ...annotator import EXACT_INTEGERS, MOST_NESTED, TOO_DEEP, array_items, json_nesting, value_nesting
from ...config import StreamSettings
from .file_source import LineSource
from .payloads import parse_payloads
from .records import Malformed, RawBatch, RecordOrigin, table_of_dicts
from .text_lines import HALVES, has_halves, join, split_off_invalid_text, without_blank_lines

__all__ = ["JsonSource", "parse_json_documents", "parse_json_lines", "parse_json_text"]

_MOST_OPEN = MOST_NESTED + 1  # the record itself is an object
_LONG_NUMBER = re.compile(r"\d{19}")
"""Some of them are no integers of 64 bits, which orjson rounds: identities of two events would become one."""
_KINDS = {
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "a truth value",
    type(None): "null",
}


class JsonSource(LineSource):
    """Files of one JSON object a line, or with `multiLine` one array or object a file."""

    def parse(self, lines: pa.Array, origin: RecordOrigin) -> RawBatch:
        """The records of the lines."""
        return parse_json_text(lines, origin, self.of.stream)


def parse_json_text(lines: pa.Array, origin: RecordOrigin, stream: StreamSettings) -> RawBatch:
    """Read lines as the options of a stream's source say: `multiLine`, one array or object a file, or one a line."""
    options = stream.source.options() if stream.source else {}
    payload = stream.source.payload if stream.source else "json"
    if options.get("multiLine", "false").lower() != "true":
        if payload != "json":
            return parse_payloads(lines, origin, payload)
        return parse_json_lines(lines, origin, stream.time.attribute)
    ends = [*origin.starts[1:], len(lines)]
    texts = lines.cast(pa.binary()).to_pylist()
    documents = [b"\n".join(texts[start:end]) for start, end in zip(origin.starts, ends, strict=True)]
    if payload != "json":
        texts = pa.array([document.decode("utf-8-sig", errors="backslashreplace") for document in documents])
        return parse_payloads(texts, RecordOrigin(origin.names, tuple(range(len(documents))), "{name}"), payload)
    return parse_json_documents(documents, origin.names)


def parse_json_documents(documents: list[bytes], names: Callable[[], Sequence[str]]) -> RawBatch:
    """Read the records of texts that each are one JSON array of objects, or one object over several lines."""
    items: list[_Item] = []
    starts, unreadable = [], []
    for number, document in enumerate(documents):
        starts.append(len(items))
        try:
            items += _items(document.decode("utf-8-sig"))
        except ValueError as error:
            text = document.decode(errors="backslashreplace")
            unreadable.append(Malformed(text, f"no JSON: {error}", names()[number]))
    origin = RecordOrigin(names, tuple(starts), "{name}, item {number}")
    good = [i for i, item in enumerate(items) if isinstance(item.value, dict)]
    others = sorted(set(range(len(items))) - set(good))
    wrong = [Malformed(items[i].text, items[i].reason, origin.place(i)) for i in others]
    table = table_of_dicts([item.value for item in items if isinstance(item.value, dict)])
    texts = pa.array([item.text for item in items], pa.string())
    return RawBatch(table, (*unreadable, *wrong), origin, np.array(good, dtype=np.int64), texts)


@dataclass(frozen=True, slots=True)
class _Item:
    """One value of a document: what it says, or why that is no record, and how it is written."""

    value: object
    text: str
    reason: str = "no JSON object"


def _items(text: str) -> list[_Item]:
    """Return the values of an array, or the one that is none; those that are nested too deep have no value.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        content = json.loads(text)
        values = content if isinstance(content, list) else [content]
        if all(value_nesting(value) <= _MOST_OPEN for value in values):
            return [_item(value) for value in values]
    except RecursionError:
        pass
    items = [(item, json_nesting(item) > _MOST_OPEN) for item in array_items(text)]
    return [_Item(None, item, TOO_DEEP) if deep else _item(json.loads(item)) for item, deep in items]


def _item(value: object) -> _Item:
    text = json.dumps(value, ensure_ascii=False)
    if not has_halves(text):
        return _Item(value, text)
    return _Item(None, text.encode(errors="backslashreplace").decode(), HALVES)


def parse_json_lines(lines: pa.Array, origin: RecordOrigin, time: str, *, broken: bool = False) -> RawBatch:
    """Read lines that are one JSON object each; blank lines are no records.

    What a line becomes does not depend on the lines beside it, except that a name whose values are of several kinds in
    one batch becomes a column of texts (`records.table_of_dicts`).

    Args:
        lines: strings, in order of arrival; not necessarily valid UTF-8.
        origin: where they stood.
        time: the stream's time attribute: it is expected to be a string, and remains one.
        broken: whether there are line breaks in some of them, as in a text that was no line of a file.
    """
    valid, numbers, malformed = split_off_invalid_text(lines, origin)
    kept, numbers = without_blank_lines(valid, numbers)
    table = None if broken else _parse_together(pc.utf8_trim_whitespace(kept), time)
    if table is None:
        table, good, wrong = _parse_one_by_one(kept, numbers, origin)
        numbers, malformed = numbers[good], malformed + wrong
    return RawBatch(table, tuple(malformed), origin, numbers, lines)


def _parse_together(lines: pa.Array, time: str) -> pa.Table | None:
    """Return the lines as a table, or `None` where only a look at each line can tell what it is."""
    if not len(lines):
        return table_of_dicts([])
    # Each line an object of its own: Arrow's parser would also read two in one line, or one that spans two.
    if not (pc.all(pc.starts_with(lines, "{")).as_py() and pc.all(pc.ends_with(lines, "}")).as_py()):
        return None
    text = join(lines)
    if not _is_shallow(lines, text):
        return None
    table = _read(text, [time])
    if table is None:
        table = _read(text, [])
    if table is None or table.num_rows != len(lines):
        return None
    return _with_texts(table, text)


def _is_shallow(lines: pa.Array, text: pa.Buffer) -> bool:
    """Whether no line opens too many brackets: Arrow's parser goes down level by level, and ends the process."""
    code = np.frombuffer(text, dtype=np.uint8)
    opened = sum(int(np.count_nonzero(code == ord(bracket))) for bracket in "[{")
    if opened - len(lines) < _MOST_OPEN:  # each line opens one
        return True
    counts = (pc.count_substring(lines, bracket) for bracket in "[{")
    return int(pc.max(pc.add(*counts)).as_py()) <= _MOST_OPEN


def _with_texts(table: pa.Table, text: pa.Buffer) -> pa.Table | None:
    """Return the table with dates and times as the strings that they came as, if nothing in it lost its meaning."""
    dates = [field.name for field in table.schema if pa.types.is_temporal(field.type)]
    if dates:
        table = _read(text, [*dates, *_strings(table)])
    if table is None or not all(_is_faithful(column) for column in table.columns):
        return None
    present = [i for i, column in enumerate(table.columns) if column.null_count < len(column)]
    return table.select(present) if present else table_of_dicts([{}] * table.num_rows)


def _read(text: pa.Buffer, strings: list[str]) -> pa.Table | None:
    schema = pa.schema([(name, pa.string()) for name in strings])
    options = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer")
    try:
        return pyarrow.json.read_json(pa.BufferReader(text), parse_options=options)
    except pa.ArrowInvalid:
        return None


def _strings(table: pa.Table) -> list[str]:
    return [field.name for field in table.schema if pa.types.is_string(field.type)]


def _is_faithful(column: pa.ChunkedArray) -> bool:
    """Whether the column says exactly what the lines said: see `records.table_of_dicts` for what it cannot."""
    if pa.types.is_nested(column.type):
        return False  # the parser loses nulls in lists (pyarrow 26)
    if not pa.types.is_floating(column.type):
        return True
    largest = pc.max(pc.abs(column)).as_py()
    return largest is None or (largest < EXACT_INTEGERS and not pc.any(pc.is_nan(column)).as_py())


def _parse_one_by_one(
    lines: pa.Array, numbers: np.ndarray, origin: RecordOrigin
) -> tuple[pa.Table, np.ndarray, list[Malformed]]:
    records, good, malformed = [], np.ones(len(lines), dtype=bool), []
    for row, line in enumerate(lines.to_pylist()):
        record = _parsed(line)
        if isinstance(record, dict):
            records.append(record)
        else:
            good[row] = False
            malformed.append(Malformed(line, record, origin.place(int(numbers[row]))))
    return table_of_dicts(records), good, malformed


def _parsed(line: str) -> dict[str, object] | str:
    """Return the object of a line, or why it is none."""
    if line.count("[") + line.count("{") > _MOST_OPEN and json_nesting(line) > _MOST_OPEN:
        return TOO_DEEP
    try:
        value = orjson.loads(line)
        if _LONG_NUMBER.search(line):
            value = json.loads(line)
    except orjson.JSONDecodeError:
        try:  # the standard library also reads NaN and Infinity, which Python's own writer writes
            value = json.loads(line)
            if has_halves(json.dumps(value, ensure_ascii=False)):
                return HALVES
        except json.JSONDecodeError as error:
            return f"no JSON: {error.msg} at character {error.colno}"
        except ValueError:
            return "no JSON that can be read: a number of too many digits"
    return value if isinstance(value, dict) else f"{_KINDS[type(value)]} instead of an object"
