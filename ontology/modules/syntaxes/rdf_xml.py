"""RDF/XML, which shares the suffixes of its files with OWL/XML: the root element tells."""

from __future__ import annotations

import re
from xml.parsers import expat

from pyoxigraph import RdfFormat

from ....errors import Place
from .oxigraph_syntax import OxigraphSyntax

XML_SUFFIXES = (".owl", ".rdf", ".xml", ".owx")
_ROOT = re.compile(r"<(?:[\w.-]+:)?(RDF|Ontology)[\s>]")
_QUOTED = re.compile(r"'([^']+)'")


def root_element(text: str) -> str | None:
    """`RDF` or `Ontology`, whichever comes first; `None`: neither is there."""
    root = _ROOT.search(text)
    return None if root is None else root[1]


def _recognises(text: str) -> bool:
    root = root_element(text)
    return root == "RDF" or (root is None and text.lstrip().startswith("<?xml"))


def place_in_xml(source: str, text: str, message: str, _: SyntaxError) -> Place:
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


RDF_XML = OxigraphSyntax(RdfFormat.RDF_XML, XML_SUFFIXES, _recognises, place_in_xml)
