"""Semantic events as N-Quads, from which they could be made again: no value is lost on the way.

Beside triples(e) an event has, below `urn:kaicep:attribute:<stream>:`, what triples(e) alone would not give back: the
undeclared attributes (`_extra`), the raw value of what was linked by key, and the value of an attribute whose property
follows from that of another one. Source: paper §3.1; RDF 1.1 N-Quads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl
import pyarrow as pa

from ..language.nodes import XSD, attribute_iri
from .datatypes import lexical_text
from .shape import AttributeShape, EventShape
from .type_casts import to_series

_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_EXTRA = "_extra"
_TIME = "_time"
_CONTROLS = [chr(code) for code in (*range(0x20), 0x7F)]
_ESCAPES = {"\\": "\\\\", '"': '\\"', **{c: f"\\u{ord(c):04X}" for c in _CONTROLS}}
_SPECIAL = r'[\\"\x00-\x1f\x7f]'


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
