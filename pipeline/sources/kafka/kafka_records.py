"""Rows of topics as raw records: values by their format, and beside them what attributes get of key, headers, place."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....config import StreamSettings
from ....settings import KafkaSourceSettings
from ..delimited import CsvDialect, parse_csv_lines
from ..json_source import parse_json_lines
from ..payloads import parse_payloads
from ..records import Malformed, RawBatch, RecordOrigin
from ..text_lines import declared_columns, split_off_invalid_text

__all__ = ["kafka_records", "wanted_columns"]

_ARRIVAL = ("topic", "partition", "offset")
_TOMBSTONE = "no value: in topics that are compacted it says that its key is gone"
_BREAK = "[\r\n]"
_BROKEN = "a line break stands within the record"


def wanted_columns(settings: KafkaSourceSettings) -> tuple[str, ...]:
    """Which columns are needed beside value and place."""
    wanted = {"key": settings.key, "timestamp": settings.timestamp, "headers": settings.headers}
    return tuple(name for name, asked in wanted.items() if asked)


def kafka_records(rows: pa.Table, stream: StreamSettings, settings: KafkaSourceSettings) -> RawBatch:
    """The records of a batch by topic, partition and offset.

    Args:
        rows: columns of `KAFKA_SCHEMA`.
        stream: whose format the values have.
        settings: which attributes get what stands beside them.
    """
    rows = rows.sort_by([(name, "ascending") for name in _ARRIVAL]).combine_chunks()
    lost = rows["lost"].fill_null(_TOMBSTONE)
    kept, wrong = _set_aside(rows, pc.is_null(rows["value"]), lost)
    if stream.source is not None and stream.source.format == "csv":
        kept, broken = _without_breaks(kept)
        wrong += broken
    found = _parsed(kept["value"].combine_chunks(), _origin(kept), stream, settings)
    numbers = np.arange(found.table.num_rows) if found.numbers is None else found.numbers
    table = _with_attributes(found.table, kept.take(pa.array(numbers)), settings)
    return replace(found, table=table, malformed=(*wrong, *found.malformed))


def _without_breaks(rows: pa.Table) -> tuple[pa.Table, list[Malformed]]:
    """Rows whose values are one line each; what ends a line at their end is no part of it."""
    lines = pc.replace_substring_regex(rows["value"], r"[\r\n]+$", "")
    place = rows.column_names.index("value")
    rows = rows.set_column(place, "value", lines)
    which = pc.fill_null(pc.match_substring_regex(rows["value"], _BREAK), fill_value=False)
    return _set_aside(rows, which, pa.chunked_array([pa.repeat(pa.scalar(_BROKEN), rows.num_rows)]))


def _origin(rows: pa.Table) -> RecordOrigin:
    """Stretches of one partition whose offsets follow each other."""
    if not rows.num_rows:
        return RecordOrigin(lambda: (), (), "")
    offsets = rows["offset"].to_numpy()
    topics, partitions = rows["topic"].combine_chunks().dictionary_encode(), rows["partition"].to_numpy()
    codes = topics.indices.to_numpy()
    begins = np.ones(len(offsets), dtype=bool)
    begins[1:] = (np.diff(offsets) != 1) | (np.diff(codes) != 0) | (np.diff(partitions) != 0)
    starts = np.flatnonzero(begins)
    names = partial(_names, topics.take(pa.array(starts)), partitions[starts])
    return RecordOrigin(
        names, tuple(starts.tolist()), "{name}, offset {number}", firsts=tuple(offsets[starts].tolist())
    )


def _names(topics: pa.Array, partitions: np.ndarray) -> list[str]:
    return [f"{topic}/{number}" for topic, number in zip(topics.to_pylist(), partitions.tolist(), strict=True)]


def _set_aside(rows: pa.Table, which: pa.ChunkedArray, reasons: pa.ChunkedArray) -> tuple[pa.Table, list[Malformed]]:
    """The other rows, and those that are no records."""
    places = np.flatnonzero(which.to_numpy())
    if not len(places):
        return rows, []
    origin = _origin(rows)
    texts = ((rows["value"][int(row)].as_py() or b"").decode(errors="backslashreplace") for row in places)
    told = zip(texts, reasons.take(pa.array(places)).to_pylist(), places.tolist(), strict=True)
    return rows.filter(pc.invert(which)), [Malformed(text, reason, origin.place(row)) for text, reason, row in told]


def _parsed(values: pa.Array, origin: RecordOrigin, stream: StreamSettings, settings: KafkaSourceSettings) -> RawBatch:
    form = "json" if stream.source is None else stream.source.format
    # Not necessarily UTF-8: each format tells its own.
    texts = pa.Array.from_buffers(pa.string(), len(values), values.buffers(), offset=values.offset)
    match form:
        case "csv":
            return _csv(texts, origin, stream, settings)
        case "text":
            kept, numbers, wrong = split_off_invalid_text(texts, origin)
            return RawBatch(pa.table({"value": kept}), tuple(wrong), origin, numbers, texts)
        case _ if stream.source is not None and stream.source.payload != "json":
            return parse_payloads(texts, origin, stream.source.payload)
        case _:
            return parse_json_lines(texts, origin, stream.time.attribute, broken=_has_breaks(values))


def _csv(texts: pa.Array, origin: RecordOrigin, stream: StreamSettings, settings: KafkaSourceSettings) -> RawBatch:
    """The values are lines without a header, of the attributes that nothing else fills, in declared order."""
    dialect = CsvDialect.of(stream)
    names = tuple(name for name in declared_columns(stream) if name not in settings.filled.values())
    return parse_csv_lines(texts, origin, replace(dialect, columns=names))


def _has_breaks(values: pa.Array) -> bool:
    return bool(pc.any(pc.match_substring_regex(values, _BREAK)).as_py())


def _with_attributes(table: pa.Table, rows: pa.Table, settings: KafkaSourceSettings) -> pa.Table:
    """The table with a column for each attribute that is filled from beside the value."""
    places = {"topic_name": "topic", "partition": "partition", "offset": "offset", "timestamp": "timestamp"}
    columns = {
        attribute: rows[column] for name, column in places.items() if (attribute := getattr(settings, name)) is not None
    }
    if settings.key is not None:
        columns[settings.key] = _texts(rows["key"].to_pylist())
    if settings.headers:
        headers = [{h["key"]: h["value"] for h in of or ()} for of in rows["headers"].to_pylist()]
        for attribute, name in settings.headers.items():
            columns[attribute] = _texts([of.get(name) for of in headers])
    if not columns:
        return table
    kept = [name for name in table.column_names if name not in columns]
    return pa.table({**{name: table[name] for name in kept}, **columns})


def _texts(values: list[bytes | None]) -> pa.Array:
    texts = [None if value is None else value.decode(errors="backslashreplace") for value in values]
    return pa.array(texts, pa.string())
