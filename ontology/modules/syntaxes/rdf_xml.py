"""RDF/XML, which shares the suffixes of its files with OWL/XML: the root element tells."""

from __future__ import annotations

import re
from collections import Counter
from xml.parsers import expat

from pyoxigraph import RdfFormat

from ....errors import OntologyError, Place
from .oxigraph_syntax import OxigraphSyntax

XML_SUFFIXES = (".owl", ".rdf", ".xml", ".owx")
_ROOT = re.compile(r"<(?:[\w.-]+:)?(RDF|Ontology)[\s>]")
_ENTITY = re.compile(rb"""<!ENTITY\s+(?P<name>[^\s%]+)\s+(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')""")
_REFERENCE = re.compile(rb"&([^;&\s#]+);")
_EXPANDED, _TIMES, _SHOWN = 1_000_000, 20, 80
"""So many bytes may entities stand for, or so many times what the document has; those of ontologies shorten IRIs."""
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


def _refuse_bombs(source: str, content: bytes) -> None:
    """Refuse entities that make much of little: a few that name each other are gigabytes.

    Raises:
        OntologyError: what they stand for is far more than the document.
    """
    used, sizes, largest = Counter(_REFERENCE.findall(content)), dict[bytes, int](), (0, 0)
    for declared in _ENTITY.finditer(content):  # one names those that are declared before it, itself perhaps
        text, name = declared["double"] or declared["single"] or b"", declared["name"]
        sizes[name] = len(text) + sum(sizes.get(reference, 0) for reference in _REFERENCE.findall(text))
        largest = max(largest, (max(1, used[name]) * sizes[name], declared.start()))
        if sizes[name] > _EXPANDED:
            break
    total = sum(used[name] * size for name, size in sizes.items())
    if max(total, largest[0]) > max(_EXPANDED, _TIMES * len(content)):
        before = content[: largest[1]].decode(errors="replace").split("\n")
        line = before[-1] + content[largest[1] :][:_SHOWN].decode(errors="replace").split("\n")[0]
        place = Place(source, len(before), len(before[-1]) + 1, len("<!ENTITY"), line)
        raise OntologyError(
            "entities stand for far more text than the document has", place=place, hint="write out what they stand for"
        )


RDF_XML = OxigraphSyntax(RdfFormat.RDF_XML, XML_SUFFIXES, _recognises, place_in_xml, _refuse_bombs)
