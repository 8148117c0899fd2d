"""Matches as N-Quads: each an entity with its provenance, in the graph of its query and bucket.

A match is `prov:wasDerivedFrom` its events and `prov:wasGeneratedBy` an evaluation, which `prov:used` the text of the
query and a version of the knowledge. These stand once, in a graph of their own: Oxigraph finds a triple of a union of
graphs as often as graphs have it. Source: PROV-O, W3C Recommendation of 30 April 2013.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import assert_never
from urllib.parse import quote

import polars as pl
import pyarrow as pa
import pyoxigraph as ox

from ...annotator import USUAL_DATATYPES, attribute_iri, event_prefix, literal_terms
from ...language.nodes import XSD, ValueType
from ..store import EVALUATIONS, match_graphs_of
from .match_columns import CONTEXT, END, ORIGIN, SAMPLED, START
from .provenance import Provenance

KAICEP = "urn:kaicep:"
PROV = "http://www.w3.org/ns/prov#"
MATCH, VARIABLE = f"{KAICEP}Match", f"{KAICEP}variable:"
_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_WINDOW = {START: f"{KAICEP}windowStart", END: f"{KAICEP}windowEnd"}
_NO_IRI = r'[\x00-\x20<>"{}|^`\\]'
_MICROSECONDS = 1_000_000

_Terms = Callable[[pl.Series], pl.Series]


def variable_iri(query: str, variable: str) -> str:
    """The property of a match whose objects are the events of a variable: `urn:kaicep:variable:<query>:<variable>`."""
    return f"{VARIABLE}{quote(query, safe='')}:{quote(variable, safe='')}"


def match_encoder(provenance_of: Callable[[str], Provenance], bucket: timedelta) -> Callable[[str, pa.Table], bytes]:
    """Return (query, rows of the log of matches) → N-Quads.

    Args:
        provenance_of: what rows come from, by its digest.
        bucket: the time range of one graph.
    """

    def encode(query: str, rows: pa.Table) -> bytes:
        frame = pl.DataFrame(pl.from_arrow(rows)).with_columns(match_graphs_of(query, rows, bucket).alias("graph"))
        parts = frame.partition_by(ORIGIN, as_dict=True, maintain_order=True)
        return b"".join(_quads(provenance_of(digest), part) for (digest,), part in parts.items())

    return encode


def _quads(provenance: Provenance, rows: pl.DataFrame) -> bytes:
    ends = rows.select(
        subject="<" + pl.lit(event_prefix(provenance.query)) + pl.col("_id") + ">", end=" <" + pl.col("graph") + "> .\n"
    )
    lines = [_lines(ends, *statement) for statement in _statements(provenance, rows)]
    return str(pl.concat(lines).str.join().item()).encode() + _evaluation_quads(provenance)


def _lines(ends: pl.DataFrame, predicate: str, values: pl.Series, terms: _Terms) -> pl.Series:
    """One quad for each value; a row has one, none (null), or a list of them."""
    table = ends.with_columns(values.alias("value"))
    if isinstance(values.dtype, pl.List):
        table = table.explode("value")
    table = table.drop_nulls("value")
    objects = pl.lit(terms(table["value"]))
    return table.select(
        pl.concat_str(pl.col("subject"), pl.lit(f" <{predicate}> "), objects, pl.col("end"))
    ).to_series()


def _statements(provenance: Provenance, rows: pl.DataFrame) -> Iterator[tuple[str, pl.Series, _Terms]]:
    """Each predicate of the matches with its values, and what writes them as terms."""
    moments = _written_as(ValueType.DATETIME)
    for predicate, iri in (
        (_RDF_TYPE, f"{PROV}Entity"), (_RDF_TYPE, MATCH), (f"{PROV}wasGeneratedBy", _evaluation(provenance)),
    ):  # fmt: skip
        yield predicate, pl.repeat(iri, rows.height, dtype=pl.String, eager=True), _iris
    yield f"{PROV}generatedAtTime", rows["_time"], moments
    for name, predicate in _WINDOW.items():
        if name in rows.columns:
            yield predicate, rows[name], moments
    if CONTEXT in rows.columns:
        yield f"{KAICEP}context", rows[CONTEXT], _written_as(ValueType.STRING)
    if SAMPLED in rows.columns:
        yield f"{KAICEP}sampled", rows[SAMPLED], _written_as(ValueType.DOUBLE)
    for name in rows.columns:
        if name.startswith("?"):
            yield variable_iri(provenance.query, name[1:]), rows[name], _iris
            yield f"{PROV}wasDerivedFrom", rows[name], _iris
        elif name in provenance.items:
            yield attribute_iri(provenance.query, name), rows[name], _written_as(provenance.items[name])


def _written_as(kind: ValueType) -> _Terms:
    match kind:
        case ValueType.IRI:
            return _iris
        case ValueType.DURATION:
            return _durations
        case (
            ValueType.BOOLEAN
            | ValueType.INTEGER
            | ValueType.DOUBLE
            | ValueType.STRING
            | ValueType.DATETIME
            | ValueType.TERM
        ):
            return partial(literal_terms, datatype=USUAL_DATATYPES[kind])
        case _:
            assert_never(kind)


def _iris(values: pl.Series) -> pl.Series:
    """IRIs; what cannot be one is a string: a term must never end the quad that it stands in."""
    wrong = values.str.contains(_NO_IRI)
    iris = "<" + values + ">"
    if not wrong.any():
        return iris
    return pl.select(pl.when(wrong).then(literal_terms(values, XSD + "string")).otherwise(iris)).to_series()


def _durations(microseconds: pl.Series) -> pl.Series:
    """`xsd:dayTimeDuration`s in seconds."""
    size = pl.lit(microseconds.abs())
    fraction = "." + (size % _MICROSECONDS).cast(pl.String).str.zfill(6)
    seconds = (size // _MICROSECONDS).cast(pl.String) + fraction.str.strip_chars_end("0").str.strip_chars_end(".")
    sign = pl.when(pl.lit(microseconds) < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    datatype = f"<{XSD}dayTimeDuration>"
    return pl.select(sign.str.replace("^", '"') + "PT" + seconds + f'S"^^{datatype}').to_series()


def _evaluation(provenance: Provenance) -> str:
    return f"{KAICEP}evaluation:{quote(provenance.query, safe='')}/{provenance.digest}"


def _evaluation_quads(provenance: Provenance) -> bytes:
    """What made the matches."""
    evaluation = ox.NamedNode(_evaluation(provenance))
    text = ox.NamedNode(f"{KAICEP}query:{quote(provenance.query, safe='')}/{provenance.text_digest}")
    knowledge = ox.NamedNode(f"{KAICEP}knowledge:{quote(provenance.knowledge, safe='')}")
    kind, entity, used = ox.NamedNode(_RDF_TYPE), ox.NamedNode(f"{PROV}Entity"), ox.NamedNode(f"{PROV}used")
    triples: list[tuple[ox.NamedNode, ox.NamedNode, ox.NamedNode | ox.Literal]] = [
        (evaluation, kind, ox.NamedNode(f"{PROV}Activity")),
        (evaluation, used, text),
        (evaluation, used, knowledge),
        (text, kind, entity),
        (text, kind, ox.NamedNode(f"{KAICEP}Query")),
        (text, ox.NamedNode(_LABEL), ox.Literal(provenance.query)),
        (text, ox.NamedNode(f"{KAICEP}text"), ox.Literal(provenance.text)),
        (knowledge, kind, entity),
    ]
    quads = [ox.Quad(s, p, o, ox.NamedNode(EVALUATIONS)) for s, p, o in triples]
    return ox.serialize(quads, format=ox.RdfFormat.N_QUADS) or b""
