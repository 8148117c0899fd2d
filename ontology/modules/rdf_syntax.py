"""One document in any RDF syntax → its triples, with the place of the first thing that is wrong.

Turtle, N-Triples, N-Quads, TriG, JSON-LD and RDF/XML are read by Oxigraph, OWL/XML by owlready2. Named graphs
are merged: a module is one graph. Nothing is ever fetched.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from xml.parsers import expat

from pyoxigraph import BlankNode, Quad, RdfFormat, Triple, parse

from ...errors import OntologyError, Place
from .owlxml import parse_owlxml

OWL_XML = "OWL/XML"
Syntax = RdfFormat | str
"""A format of Oxigraph, or `OWL_XML`."""

_BY_SUFFIX: dict[str, RdfFormat] = {
    ".ttl": RdfFormat.TURTLE,
    ".turtle": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".trig": RdfFormat.TRIG,
    ".jsonld": RdfFormat.JSON_LD,
    ".json": RdfFormat.JSON_LD,
}
_XML_SUFFIXES = (".owl", ".rdf", ".xml", ".owx")
SUFFIXES = (*_BY_SUFFIX, *_XML_SUFFIXES)

_ROOT = re.compile(r"<(?:[\w.-]+:)?(RDF|Ontology)[\s>]")
_WHERE = re.compile(r"Parser error (?:at|between) line [^:]*: ")
_QUOTED = re.compile(r"'([^']+)'")
_REMOTE_CONTEXT = "No LoadDocumentCallback has been set"


def syntax_of(name: str, text: str) -> Syntax:
    """The syntax of a document by its file name, for XML suffixes by its root element.

    Raises:
        OntologyError: a suffix that no RDF syntax has.
    """
    suffix = Path(name).suffix.lower()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if suffix not in _XML_SUFFIXES:
        known = ", ".join(SUFFIXES)
        raise OntologyError(f"no RDF syntax has the suffix '{suffix}'", place=Place(name), hint=f"use one of {known}")
    root = _ROOT.search(text)
    if root is None:
        return RdfFormat.RDF_XML if text.lstrip().startswith("<?xml") else RdfFormat.TURTLE
    return OWL_XML if root[1] == "Ontology" else RdfFormat.RDF_XML


def read_document(source: str, content: bytes, syntax: Syntax | None = None, base: str | None = None) -> list[Triple]:
    """The triples of a document, blank nodes renamed so that they clash with those of no other document.

    The new names depend on the content only: the same document gives the same names on every machine.

    Args:
        source: file name for messages.
        content: the document, UTF-8 (XML: as its declaration says).
        syntax: by default that of the file name.
        base: IRI that relative ones are resolved against.

    Raises:
        OntologyError: no document of that syntax, with line and column.
    """
    text = content.decode(errors="replace")
    syntax = syntax or syntax_of(source, text)
    triples = parse_owlxml(source, content) if isinstance(syntax, str) else _parse(source, content, text, syntax, base)
    return _with_own_blank_nodes(triples, hashlib.sha256(content).hexdigest()[:12])


def _parse(source: str, content: bytes, text: str, syntax: RdfFormat, base: str | None) -> list[Triple]:
    try:
        quads = list(parse(content, syntax, base_iri=base))
    except SyntaxError as error:
        raise _explained(source, text, syntax, error) from error
    return [quad.triple if isinstance(quad, Quad) else quad for quad in quads]


def _explained(source: str, text: str, syntax: RdfFormat, error: SyntaxError) -> OntologyError:
    message = _WHERE.sub("", error.msg or str(error), count=1)
    if message.startswith(_REMOTE_CONTEXT):
        where = re.search(r'"@context"\s*:\s*\[?\s*"[^"]*"', text)
        return OntologyError(
            "this JSON-LD names a remote @context, and kaicep fetches nothing",
            place=Place.at(source, text, *where.span()) if where else Place(source),
            hint="write the context into the file",
        )
    place = _marked(source, text, error) if error.lineno else _place_in_xml(source, text, message)
    return OntologyError(f"no {syntax.name}: {message}", place=place)


def _marked(source: str, text: str, error: SyntaxError) -> Place:
    number, column = error.lineno or 1, error.offset or 1
    lines = text.split("\n")
    line = lines[number - 1].rstrip("\r") if number <= len(lines) else ""
    end = error.end_offset if error.end_lineno == error.lineno and error.end_offset else len(line) + 1
    return Place(source, number, column, max(1, min(end, len(line) + 1) - column), line)


def _place_in_xml(source: str, text: str, message: str) -> Place:
    """Oxigraph gives no place in XML: expat does for what is ill-formed, else the text that the message quotes."""
    try:
        expat.ParserCreate().Parse(text.encode(), True)  # noqa: FBT003 (positional only: this is the end)
    except expat.ExpatError as error:
        lines = text.split("\n")
        line = lines[error.lineno - 1].rstrip("\r") if error.lineno <= len(lines) else ""
        return Place(source, error.lineno, error.offset + 1, 1, line)
    quoted = _QUOTED.search(message)
    start = text.find(quoted[1]) if quoted else -1
    return Place.at(source, text, start, start + len(quoted[1])) if quoted and start >= 0 else Place(source)


def _with_own_blank_nodes(triples: list[Triple], digest: str) -> list[Triple]:
    names: dict[BlankNode, BlankNode] = {}

    def renamed(node: BlankNode) -> BlankNode:
        return names.setdefault(node, BlankNode(f"b{digest}n{len(names)}"))

    for n, (subject, predicate, value) in enumerate(triples):
        own_subject = renamed(subject) if isinstance(subject, BlankNode) else subject
        own_value = renamed(value) if isinstance(value, BlankNode) else value
        if own_subject is not subject or own_value is not value:
            triples[n] = Triple(own_subject, predicate, own_value)
    return triples
