"""Semantic events as N-Quads, and back: no value is lost on the way.

Beside triples(e) an event has, below `urn:kaicep:attribute:<stream>:`, what triples(e) alone would not give back: the
undeclared attributes (`_extra`), the raw value of what was linked by key, and the value of an attribute whose property
follows from that of another one. Source: paper §3.1; RDF 1.1 N-Quads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import polars as pl
import pyarrow as pa

from ..language.nodes import XSD, ValueType
from .datatypes import COLUMN_TYPES, MOMENT, lexical_text
from .shape import AttributeShape, EventShape, attribute_iri, event_prefix
from .type_casts import cast_column, to_series

_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_EXTRA = "_extra"
_TIME = "_time"
_CONTROLS = [chr(code) for code in (*range(0x20), 0x7F)]
_ESCAPES = {"\\": "\\\\", '"': '\\"', **{c: f"\\u{ord(c):04X}" for c in _CONTROLS}}
_SPECIAL = r'[\\"\x00-\x1f\x7f]'
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


def event_quads(shape: EventShape, events: pa.Table, graphs: pl.Series | None = None) -> bytes:
    """Write events as N-Quads, event by event.

    Args:
        shape: the shape of the events' stream.
        events: an event table.
        graphs: the IRI of each event's graph; `None`: the default graph.
    """
    columns = {name: to_series(events.column(name)) for name in events.column_names}
    subject = "<" + columns["_id"].cast(pl.String) + ">"
    end = " .\n" if graphs is None else " <" + graphs + "> .\n"
    lines = [
        pl.concat_str([pl.lit(part) for part in (subject, f" <{predicate}> ", objects, end)])
        for predicate, objects in _statements(shape, columns)
    ]
    if not lines:
        return b""
    # A line is null where an event has no such object.
    return str(pl.select(pl.concat_str(lines, ignore_nulls=True)).to_series().str.join().item()).encode()


def _statements(shape: EventShape, columns: Mapping[str, pl.Series]) -> Iterator[tuple[str, pl.Series]]:
    """Each predicate with its objects, null where an event has none."""
    length = len(columns["_id"])
    for iri in shape.types:
        yield _TYPE, pl.repeat(f"<{iri}>", length, dtype=pl.String, eager=True)
    terms = {a.name: _terms(a, columns) for a in shape.attributes}
    for p in shape.properties:
        iris, literals = terms[p.column]
        yield p.iri, literals if iris is None else pl.select(pl.coalesce(pl.lit(iris), pl.lit(literals))).to_series()
    for a in shape.attributes:
        own, (iris, literals) = attribute_iri(shape.stream, a.name), terms[a.name]
        if a.property in ambiguous_properties(shape):
            yield own, literals
        elif iris is not None and a.template is None and a.individual != a.name:
            yield own, pl.select(pl.when(pl.lit(iris).is_not_null()).then(pl.lit(literals))).to_series()
        if iris is not None and a.property in ambiguous_properties(shape):
            yield own, iris
    if _EXTRA in columns:
        yield attribute_iri(shape.stream, _EXTRA), literal_terms(columns[_EXTRA], XSD + "string")
    if shape.time not in terms:
        yield attribute_iri(shape.stream, _TIME), literal_terms(columns[_TIME], XSD + "dateTime")


def ambiguous_properties(shape: EventShape) -> frozenset[str]:
    """The properties that more than one attribute gives: their objects do not say which attribute's they are."""
    users: dict[str, set[str]] = {}
    for p in shape.properties:
        users.setdefault(p.iri, set()).add(p.column)
    return frozenset(iri for iri, names in users.items() if len(names) > 1)


def _terms(a: AttributeShape, columns: Mapping[str, pl.Series]) -> tuple[pl.Series | None, pl.Series]:
    """The IRIs of an attribute's individuals, and its raw values as literals."""
    iris = None if a.individual is None else "<" + columns[a.individual].cast(pl.String) + ">"
    return iris, literal_terms(columns[a.name], a.datatype)


def literal_terms(values: pl.Series, datatype: str) -> pl.Series:
    """Typed values as literals of N-Quads, nulls kept: whatever a text holds, it stays within its quotes."""
    text = lexical_text(values, datatype).cast(pl.String)
    special = text.filter(text.str.contains(_SPECIAL)).unique().to_list()
    if special:
        table = str.maketrans(_ESCAPES)
        text = text.replace(special, [value.translate(table) for value in special])
    suffix = '"' if datatype == XSD + "string" else f'"^^<{datatype}>'
    return pl.select(pl.lit('"') + pl.lit(text) + pl.lit(suffix)).to_series()


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
