"""Warnings about classes, properties and individuals that no loaded knowledge mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, assert_never

from rdflib import OWL, RDF, RDFS, XSD
from rdflib.paths import AlternativePath, InvPath, MulPath, NegatedPath, SequencePath
from rdflib.term import URIRef

from ...errors import did_you_mean
from ..name_lookup import Names
from ..nodes import KnownTerms, StreamType, attribute_iri
from ..paths import Body, Tokens

TermKind = Literal["property", "class", "individual"]

_STANDARD = tuple(str(namespace) for namespace in (RDF, RDFS, OWL, XSD))


def warnings_of(names: Names, bodies: Iterable[Body], streams: Mapping[str, StreamType]) -> tuple[str, ...]:
    """A message for each term that a PATH names and nobody knows; knowledge may come later, so it is no error."""
    terms = names.vocabulary.terms
    if terms is None:
        return ()
    known = frozenset(_known_from(streams.values()))
    found: dict[tuple[TermKind, str], str] = {}
    for body in bodies:
        for kind, iri in _named(body):
            if iri not in known and not iri.startswith(_STANDARD) and not _knows(terms, kind, iri):
                found.setdefault((kind, iri), _message(names, terms, body.tokens, kind, iri))
    return tuple(found.values())


def _known_from(streams: Iterable[StreamType]) -> Iterator[str]:
    for stream in streams:
        if stream.event_type is not None:
            yield stream.event_type
        for attribute in stream.attributes:
            yield from attribute.aliases
            yield attribute_iri(stream.name, attribute.name)
            if attribute.property is not None:
                yield attribute.property


def _named(body: Body) -> Iterator[tuple[TermKind, str]]:
    for triple in body.everywhere:
        for iri in _in_path(triple.predicate):
            yield "property", iri
        if isinstance(triple.subject, URIRef):
            yield "individual", str(triple.subject)
        if isinstance(triple.object, URIRef):
            yield ("class" if triple.predicate == RDF.type else "individual"), str(triple.object)


def _in_path(predicate: object) -> Iterator[str]:
    match predicate:
        case URIRef():
            yield str(predicate)
        case SequencePath() | AlternativePath() | NegatedPath():
            for part in predicate.args:
                yield from _in_path(part)
        case InvPath():
            yield from _in_path(predicate.arg)
        case MulPath():
            yield from _in_path(predicate.path)


def _knows(terms: KnownTerms, kind: TermKind, iri: str) -> bool:
    match kind:
        case "property":
            return terms.is_property(iri)
        case "class":
            return terms.is_class(iri)
        case "individual":
            return terms.is_known(iri)
        case _:
            assert_never(kind)


def _message(names: Names, terms: KnownTerms, tokens: Tokens, kind: TermKind, iri: str) -> str:
    token = next(token for token in tokens if token.text == f"<{iri}>")
    written = names.compact(iri)
    near = did_you_mean(written, [names.compact(term) for term in terms.terms()]) if kind != "individual" else None
    hint = near or "no loaded module mentions it; knowledge may come later"
    return str(names.source.type_error(token.span, f"unknown {kind} {written}", hint))
