"""RDF that somebody uploads: one document, or several parts of a form, as triples. Nothing is ever fetched.

Source: SPARQL 1.1 Graph Store HTTP Protocol, 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser
from functools import partial

from ...ontology.modules import Module
from ...ontology.modules.syntaxes import Reading, syntax_of
from ..problem import ProblemError
from ..sparql import content_type_of

__all__ = ["UPLOAD_TYPES", "RdfPart", "parsed", "rdf_parts"]

_SUFFIXES = {
    "text/turtle": ".ttl",
    "application/n-triples": ".nt",
    "application/rdf+xml": ".rdf",
    "application/ld+json": ".jsonld",
    "application/owl+xml": ".owx",
    "application/x-turtle": ".ttl",
    "text/plain": ".nt",
}
UPLOAD_TYPES = tuple(_SUFFIXES)
_FORM = "multipart/form-data"
_MOST_PARTS, _LONGEST_HEAD = 100, 8_192


@dataclass(frozen=True, slots=True)
class RdfPart:
    """A document of RDF.

    Attributes:
        suffix: that its syntax has in the names of files.
        content: of the document.
    """

    suffix: str
    content: bytes


def rdf_parts(content_type: str | None, body: bytes) -> tuple[RdfPart, ...]:
    """The documents of a request.

    Raises:
        ProblemError: 415, it says of no syntax that it is written in it; 400, the form has no parts.
    """
    media, _ = content_type_of(content_type)
    if media != _FORM:
        return (_part(content_type, body),)
    return tuple(_parts(content_type, body))


def parsed(parts: Sequence[RdfPart], base: str, reading: Reading | None = None) -> list[Module]:
    """What documents say, as modules, whose blank nodes have the same names for the same documents.

    Args:
        parts: the documents.
        base: IRI that relative ones are resolved against.
        reading: hears how much of all is read.

    Raises:
        OntologyError: one is not of its syntax, with line and column; or it would have something fetched.
    """
    found, before, whole = list[Module](), 0, sum(len(part.content) for part in parts) or 1
    for part in parts:
        name = f"body{part.suffix}"
        syntax = syntax_of(name, part.content.decode(errors="replace"))
        share = None if reading is None else partial(_read, reading, before / whole, len(part.content) / whole)
        found.append(Module.parse(name, part.content, syntax, base, share))
        before += len(part.content)
    return found


def _read(reading: Reading, before: float, size: float, share: float) -> None:
    reading(before + size * share)


def _parts(content_type: str | None, body: bytes) -> Iterator[RdfPart]:
    """The parts of a form; a part that is a form itself is none, so that none takes long to be taken apart."""
    form = Message()
    form["Content-Type"] = content_type or ""
    found = (b"\r\n" + body).split(f"\r\n--{form.get_boundary('')}".encode(), _MOST_PARTS + 1)[1:]
    if not found or form.get_boundary() is None:
        raise ProblemError(400, "the form has no parts", "send one for each document")
    if len(found) > _MOST_PARTS:
        raise ProblemError(400, f"the form has more than {_MOST_PARTS} parts", "send several requests")
    for part in found:
        if part.startswith(b"--"):
            return
        head, _, content = part.partition(b"\r\n\r\n")
        yield _part(BytesHeaderParser().parsebytes(head.lstrip()[:_LONGEST_HEAD])["Content-Type"], content)


def _part(content_type: str | None, content: bytes) -> RdfPart:
    media, charset = content_type_of(content_type)
    if charset not in (None, "utf-8", "utf8", "us-ascii"):
        raise ProblemError(415, f"the document is in {charset}", "send UTF-8")
    if media not in _SUFFIXES:
        said = "the request does not say what its body is" if media is None else f"{media} is no form of triples"
        raise ProblemError(415, said, f"send one of {', '.join(UPLOAD_TYPES)}")
    return RdfPart(_SUFFIXES[media], content)
