"""Semantic events made again of their N-Quads, to see that no value is lost on the way there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import polars as pl
import pyarrow as pa
from kaicep.annotator.datatypes import COLUMN_TYPES, MOMENT
from kaicep.annotator.shape import AttributeShape, EventShape, event_prefix
from kaicep.annotator.triples import ambiguous_properties
from kaicep.annotator.type_casts import cast_column
from kaicep.language.nodes import XSD, ValueType, attribute_iri

__all__ = ["events_from_quads"]

_EXTRA = "_extra"
_TIME = "_time"
_LINE = (
    r"^<(?P<subject>[^>]*)> <(?P<predicate>[^>]*)> "
    r'(?:<(?P<iri>[^>]*)>|"(?P<text>(?:[^"\\]|\\.)*)"(?:\^\^<[^>]*>)?)(?: <[^>]*>)? \.$'
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


class _Object(NamedTuple):
    """The object of a triple: an IRI, or the lexical form of a literal."""

    iri: str | None
    text: str | None


_Objects = Mapping[tuple[str, str], list[_Object]]


def events_from_quads(shape: EventShape, quads: bytes) -> pa.Table:
    """Read events back from N-Quads.

    Args:
        shape: the shape of the events' stream.
        quads: triples or quads of events of this stream, one a line, in any order; anything else is passed over.

    Returns:
        The event table, in the order of time stamp and id.
    """
    lines = pl.Series(quads.decode().split("\n")).str.strip_chars_end("\r")
    parts = lines.str.extract_groups(_LINE).struct.unnest().drop_nulls("subject")
    parts = parts.filter(pl.col("subject").str.starts_with(event_prefix(shape.stream)))
    parts = parts.with_columns(_unescape(parts["text"]))
    objects: dict[tuple[str, str], list[_Object]] = {}
    for subject, predicate, iri, text in parts.select("subject", "predicate", "iri", "text").iter_rows():
        objects.setdefault((subject, predicate), []).append(_Object(iri, text))
    return _table(shape, parts["subject"].unique(maintain_order=True).to_list(), objects)


def _unescape(texts: pl.Series) -> pl.Series:
    escaped = texts.filter(texts.str.contains("\\", literal=True)).unique().to_list()
    return texts.replace(escaped, [_ESCAPE.sub(_character, text) for text in escaped])


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(found[3], found[3])


def _table(shape: EventShape, ids: list[str], objects: _Objects) -> pa.Table:
    columns: dict[str, pl.Series] = {"_id": pl.Series(ids, dtype=pl.String)}
    individuals: dict[str, pl.Series] = {}
    for a in shape.attributes:
        read = [_value(shape, a, objects, event) for event in ids]
        columns[a.name] = _typed([raw for raw, _ in read], a)
        if a.individual is not None and a.individual != a.name:
            individuals[a.individual] = pl.Series([iri for _, iri in read], dtype=pl.String)
    columns |= individuals
    extra = attribute_iri(shape.stream, _EXTRA)
    columns[_EXTRA] = pl.Series([_text(objects.get((event, extra), [])) for event in ids], dtype=pl.String)
    if shape.time in columns:
        moments = columns[shape.time]
    else:
        own = attribute_iri(shape.stream, _TIME)
        texts = pl.Series([_text(objects.get((event, own), [])) for event in ids], dtype=pl.String)
        moments = cast_column(texts, XSD + "dateTime").values
    frame = pl.DataFrame({_TIME: moments.cast(MOMENT), **columns}).drop_nulls(_TIME)
    table: pa.Table = frame.sort(_TIME, "_id").to_arrow()
    return table


def _value(shape: EventShape, a: AttributeShape, objects: _Objects, event: str) -> tuple[str | None, str | None]:
    """The raw value's text and the individual's IRI."""
    own = objects.get((event, attribute_iri(shape.stream, a.name)), [])
    shared = [] if a.property in ambiguous_properties(shape) else objects.get((event, a.property), [])
    iri = next((o.iri for o in (*own, *shared) if o.iri is not None), None)
    raw = _text(own) if _text(own) is not None else _text(shared)
    if raw is None and iri is not None:
        value = None if a.template is None else a.template.value(iri)
        raw = iri if value is None else value
    return raw, iri


def _text(objects: Iterable[_Object]) -> str | None:
    return next((o.text for o in objects if o.text is not None), None)


def _typed(texts: list[str | None], a: AttributeShape) -> pl.Series:
    text = pl.Series(texts, dtype=pl.String)
    if a.type in COLUMN_TYPES and a.type is not ValueType.STRING:
        return cast_column(text, a.datatype).values
    return text
