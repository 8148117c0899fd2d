"""Messages as raw records: payloads as JSON, and beside them what attributes get of topics and times."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....annotator import MOST_NESTED, TOO_DEEP, json_nesting
from ....config import StreamSettings
from ....settings.mqtt import MqttSourceSettings, TopicPattern
from ..json_source import parse_json_lines
from ..payloads import payload_items
from ..records import Malformed, RawBatch, RecordOrigin, concatenate, table_of_dicts
from ..text_lines import HALVES, has_halves

__all__ = ["message_records"]

_EMPTY = "no payload: by that what a broker has retained of a topic is removed"
_NO_UTF8 = "no UTF-8"
_NOT_MEANT = "no topic of the stream: its topics have changed since it was subscribed to"
_NO_VALUE = 'no object; write value = "…" for the attribute that gets a payload that is a value'
_NULL = "null is no value"
_BREAK = "[\r\n]"


def message_records(
    lines: pa.Array, origin: RecordOrigin, stream: StreamSettings, settings: MqttSourceSettings
) -> RawBatch:
    """The records of a batch, in the order in which messages came.

    Args:
        lines: messages as `Message.line` writes them.
        origin: the files that they stand in.
        stream: theirs.
        settings: which attributes get what stands beside the payloads.
    """
    found = parse_json_lines(lines, origin, "received")
    messages = _whole(found.table)
    topics = messages["topic"].combine_chunks().dictionary_encode()
    patterns = settings.patterns
    known = {topic: _values(topic, patterns) for topic in topics.dictionary.to_pylist()}
    meant = pa.array([values is not None for values in known.values()], pa.bool_()).take(topics.indices)
    kept, wrong = _sorted_out(messages, meant)
    batch = _records(kept, stream, settings)
    numbers = np.arange(batch.table.num_rows) if batch.numbers is None else batch.numbers
    names = dict.fromkeys(name for pattern in patterns for name in pattern.names if name is not None)
    named = {name: {topic: (values or {}).get(name) for topic, values in known.items()} for name in names}
    table = _with_attributes(batch.table, kept.take(pa.array(numbers)), named, settings)
    return replace(batch, table=table, malformed=(*found.malformed, *wrong, *batch.malformed), numbers=numbers)


def _whole(table: pa.Table) -> pa.Table:
    """With all columns that messages have."""
    there = {name: table[name] for name in table.column_names}
    lacking = {name: pa.nulls(table.num_rows, pa.string()) for name in ("topic", "received", "payload", "bytes")}
    return pa.table({name: pc.cast(there.get(name, empty), pa.string()) for name, empty in lacking.items()})


def _values(topic: str, patterns: Sequence[TopicPattern]) -> dict[str, str] | None:
    """What stands in a topic, by the first pattern that it fits."""
    found = (pattern.values(topic) for pattern in patterns)
    return next((values for values in found if values is not None), None)


def _origin(messages: pa.Table) -> RecordOrigin:
    """Each message is a stretch of its own: its place is its topic, and when it came."""

    def names() -> list[str]:
        pairs = zip(messages["topic"].to_pylist(), messages["received"].to_pylist(), strict=True)
        return [f"topic {topic}, received {received}" for topic, received in pairs]

    return RecordOrigin(names, tuple(range(messages.num_rows)), "{name}")


def _sorted_out(messages: pa.Table, meant: pa.Array) -> tuple[pa.Table, list[Malformed]]:
    """Messages that may be records, and the others."""
    payloads = messages["payload"].combine_chunks()
    empty = pc.equal(payloads, "")
    good = pc.and_(pc.and_(meant, pc.is_valid(payloads)), pc.invert(pc.fill_null(empty, fill_value=True)))
    places = np.flatnonzero(~good.to_numpy(zero_copy_only=False))
    if not len(places):
        return messages, []
    place, wrong = _origin(messages).place, []
    for row in places.tolist():
        text, raw = payloads[row].as_py(), messages["bytes"][row].as_py()
        reason = _NOT_MEANT if not meant[row].as_py() else _NO_UTF8 if text is None else _EMPTY
        shown = base64.b64decode(raw or "").decode(errors="backslashreplace") if text is None else text
        wrong.append(Malformed(shown, reason, place(row)))
    return messages.filter(good), wrong


def _records(messages: pa.Table, stream: StreamSettings, settings: MqttSourceSettings) -> RawBatch:
    """The records of payloads: objects, arrays of them, and values."""
    payloads, origin = messages["payload"].combine_chunks(), _origin(messages)
    payload = "json" if stream.source is None else stream.source.payload
    if payload != "json":
        table, of_documents, wrong = _documents(messages, payload)
        return RawBatch(table, tuple(wrong), origin, of_documents, payloads)
    objects = pc.starts_with(pc.utf8_ltrim_whitespace(payloads), "{").to_numpy(zero_copy_only=False)
    of_objects, others = np.flatnonzero(objects), np.flatnonzero(~objects)
    chosen = payloads if not len(others) else payloads.take(pa.array(of_objects))
    some = _origin(messages.take(pa.array(of_objects))) if len(others) else origin
    broken = bool(pc.any(pc.match_substring_regex(chosen, _BREAK)).as_py())
    parsed = parse_json_lines(chosen, some, stream.time.attribute, broken=broken)
    numbers = np.arange(len(of_objects)) if parsed.numbers is None else parsed.numbers
    if not len(others):
        return replace(parsed, origin=origin, numbers=numbers, texts=payloads)
    table, of_others, wrong = _one_by_one(payloads, others, origin, settings.value, texts=_has_texts(stream, settings))
    together = concatenate([parsed.table, table])
    order = np.concatenate([of_objects[numbers], of_others])
    sorting = np.argsort(order, kind="stable")
    return RawBatch(
        together.take(pa.array(sorting)), (*parsed.malformed, *wrong), origin, order[sorting].astype(np.int64), payloads
    )


def _documents(messages: pa.Table, payload: str) -> tuple[pa.Table, np.ndarray, list[Malformed]]:
    """The records of documents, whose times may be relative to when their messages came."""
    place, wrong = _origin(messages).place, []
    records: list[Mapping[str, Any]] = []
    numbers: list[int] = []
    for number, message in enumerate(messages.select(["payload", "received"]).to_pylist()):
        received = datetime.fromisoformat(message["received"]).timestamp()
        found = payload_items(message["payload"], payload, received)
        if isinstance(found, str):
            wrong.append(Malformed(message["payload"], found, place(number)))
        else:
            records += found
            numbers += [number] * len(found)
    return table_of_dicts(records), np.array(numbers, dtype=np.int64), wrong


def _has_texts(stream: StreamSettings, settings: MqttSourceSettings) -> bool:
    of = None if settings.value is None else stream.attributes.get(settings.value)
    return of is not None and of.has_texts()


def _one_by_one(
    payloads: pa.Array, which: Sequence[int] | np.ndarray, origin: RecordOrigin, value: str | None, *, texts: bool
) -> tuple[pa.Table, np.ndarray, list[Malformed]]:
    records: list[dict[str, object]] = []
    numbers: list[int] = []
    wrong: list[Malformed] = []
    for number in map(int, which):
        text = payloads[number].as_py()
        for item in _items(text, value, texts=texts):
            if isinstance(item, dict):
                records.append(item)
                numbers.append(number)
            else:
                wrong.append(Malformed(text, item, origin.place(number)))
    return table_of_dicts(records), np.array(numbers, dtype=np.int64), wrong


def _items(text: str, value: str | None, *, texts: bool) -> list[dict[str, object] | str]:
    """The records of a payload; a text where one is none, which says why.

    Args:
        text: of the payload.
        value: the attribute that gets what is neither object nor array.
        texts: whether it gets numbers as they are written.
    """
    try:
        if json_nesting(text) > MOST_NESTED + 1:
            return [TOO_DEEP]
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        return [{value: text}] if value is not None else [f"no JSON: {error}"]
    if isinstance(found, list):
        return [_of_array(item, escaped="\\u" in text) for item in found]
    if value is None:
        return [_NO_VALUE]
    if found is None:
        return [_NULL]
    if isinstance(found, str) and has_halves(found):
        return [HALVES]
    written = texts and isinstance(found, int | float) and not isinstance(found, bool)
    return [{value: text.strip() if written else found}]


def _of_array(item: object, *, escaped: bool) -> dict[str, object] | str:
    if not isinstance(item, dict):
        return "an array holds something that is no object"
    return HALVES if escaped and has_halves(json.dumps(item, ensure_ascii=False)) else item


def _with_attributes(
    table: pa.Table,
    messages: pa.Table,
    named: Mapping[str, Mapping[str, str | None]],
    settings: MqttSourceSettings,
) -> pa.Table:
    """The table with a column for each attribute that is filled from beside the payload.

    Args:
        table: the records.
        messages: those that they come from.
        named: by attribute, what each topic says of it.
        settings: of the source.
    """
    topics = messages["topic"].combine_chunks().dictionary_encode()
    columns: dict[str, pa.Array | pa.ChunkedArray] = {
        name: pa.array(map(of.get, topics.dictionary.to_pylist()), pa.string()).take(topics.indices)
        for name, of in named.items()
    }
    if settings.topic_name is not None:
        columns[settings.topic_name] = messages["topic"]
    if settings.received is not None:
        columns[settings.received] = messages["received"]
    if not columns:
        return table
    kept = [name for name in table.column_names if name not in columns]
    return pa.table({**{name: table[name] for name in kept}, **columns})
