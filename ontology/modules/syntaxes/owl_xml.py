"""OWL/XML → triples, by owlready2's reader; what that reader would pass over or get wrong is refused."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from ....errors import OntologyError, Place
from ...terms import OWL, XSD
from .rdf_xml import XML_SUFFIXES, root_element
from .syntax import Reading

_ELSEWHERE = "save this ontology as Turtle or RDF/XML"
_UNREAD = frozenset(
    {
        "HasKey",
        "NegativeObjectPropertyAssertion",
        "NegativeDataPropertyAssertion",
        "DatatypeDefinition",
        "AnonymousIndividual",
        "DataComplementOf",
        "EquivalentAnnotationProperties",
        "DLSafeRule",
    }
)
_PAIRS_ONLY = frozenset(
    {
        "EquivalentClasses",
        "EquivalentObjectProperties",
        "EquivalentDataProperties",
        "SameIndividual",
    }
)
_XML_BASE = "http://www.w3.org/XML/1998/namespace base"
_START_TAG = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")
_PLACE = re.compile(r"line (\d+), column (\d+)\.$")


class OwlXmlSyntax:
    """OWL 2 in XML; of what is no OWL/XML, the error is shown at its place."""

    suffixes = XML_SUFFIXES

    def recognises(self, text: str) -> bool:
        """Whether the root element is `Ontology`."""
        return root_element(text) == "Ontology"

    def read(self, source: str, content: bytes, base: str | None, reading: Reading | None = None) -> list[Triple]:
        """The triples of a document; see `RdfSyntax.read`. An axiom that the reader cannot carry is refused as well."""
        del base, reading  # it names its own; the reader does not say how much it has read
        from owlready2.base import OwlReadyOntologyParsingError  # noqa: PLC0415 - few documents need the library
        from owlready2.owlxml_2_ntriples import parse  # noqa: PLC0415 - likewise

        lines = content.decode(errors="replace").split("\n")
        first = _FirstPass(source, lines)
        first.read(content)
        triples: list[Triple] = []

        def on_object(subject: str, predicate: str, value: str) -> None:
            triples.append(Triple(_node(subject), NamedNode(predicate), _node(value)))

        def on_data(subject: str, predicate: str, value: object, datatype: str) -> None:
            triples.append(Triple(_node(subject), NamedNode(predicate), _literal(value, datatype)))

        try:
            parse(io.BytesIO(first.with_base(content)), on_object, on_data)
        except OwlReadyOntologyParsingError as error:
            raise _explained(source, lines, error) from error
        return triples


OWL_XML = OwlXmlSyntax()


class _FirstPass:
    """Stops at ill-formed XML and at what owlready2's reader does not carry over; finds the base of relative IRIs."""

    def __init__(self, source: str, lines: list[str]) -> None:
        self._source = source
        self._lines = lines
        self._children: list[int] = []
        self._base = ""
        self._start_of_root = 0
        self._has_default_prefix = False
        self._parser = expat.ParserCreate(None, " ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end

    def read(self, content: bytes) -> None:
        try:
            self._parser.Parse(content, True)  # noqa: FBT003 (positional only: this is the end)
        except expat.ExpatError as error:
            place = _place(self._source, self._lines, error.lineno, error.offset)
            raise OntologyError(f"no OWL/XML: {expat.ErrorString(error.code)}", place=place) from error

    def with_base(self, content: bytes) -> bytes:
        """The document with a default prefix: owlready2 resolves by it each IRI without `//`, `urn:a` as well."""
        tag = _START_TAG.match(content, self._start_of_root)
        if self._has_default_prefix or tag is None or tag[0].endswith(b"/>"):
            return content
        prefix = f'<Prefix xmlns={quoteattr(OWL)} name="" IRI={quoteattr(self._base)}/>'
        return content[: tag.end()] + prefix.encode() + content[tag.end() :]

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if not self._children:
            self._base = attributes.get(_XML_BASE) or attributes.get("ontologyIRI", "")
            self._start_of_root = self._parser.CurrentByteIndex
        self._has_default_prefix |= attributes.get("name") == ""
        local = name.removeprefix(OWL.rstrip("#") + "# ")
        if self._children and local != "Annotation":
            self._children[-1] += 1
        self._children.append(0)
        if local in _UNREAD:
            raise OntologyError(f"{local} cannot be read from OWL/XML", place=self._here(), hint=_ELSEWHERE)

    def _end(self, name: str) -> None:
        local = name.removeprefix(OWL.rstrip("#") + "# ")
        if self._children.pop() > 2 and local in _PAIRS_ONLY:
            raise OntologyError(
                f"{local} of more than two cannot be read from OWL/XML",
                place=self._here(),
                hint="write it pair by pair, or " + _ELSEWHERE,
            )

    def _here(self) -> Place:
        parser = self._parser
        return _place(self._source, self._lines, parser.CurrentLineNumber, parser.CurrentColumnNumber)


def _place(source: str, lines: list[str], number: int, offset: int) -> Place:
    line = lines[number - 1].rstrip("\r") if number <= len(lines) else ""
    return Place(source, number, offset + 1, 1, line)


def _explained(source: str, lines: list[str], error: Exception) -> OntologyError:
    cause = error.__cause__
    where = _PLACE.search(str(error))
    place = _place(source, lines, int(where[1]), int(where[2])) if where else Place(source)
    if isinstance(cause, KeyError):
        return OntologyError(f"no OWL/XML: there is no prefix or attribute '{cause.args[0]}'", place=place)
    return OntologyError(f"no OWL/XML: {cause}", place=place)


def _node(name: str) -> NamedNode | BlankNode:
    return BlankNode("n" + name[2:]) if name.startswith("_:") else NamedNode(name)


def _literal(value: object, datatype: str) -> Literal:
    if datatype.startswith("@"):
        return Literal(str(value), language=datatype[1:])
    return Literal(_lexical(value, datatype), datatype=NamedNode(datatype or XSD + "string"))


def _lexical(value: object, datatype: str) -> str:
    """owlready2 gives numbers as Python has them: their lexical form in XSD."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    return format(Decimal(repr(value)), "f") if datatype == XSD + "decimal" else repr(value)
