"""The type of a property's values: by what the ontology says, else by the values that are there."""

from __future__ import annotations

from collections.abc import Iterable

from pyoxigraph import Literal, NamedNode, Store

from ..language.nodes import ValueType, type_of_datatype
from .terms import OWL, RDF, RDFS, TYPE, XSD

_RANGE = NamedNode(RDFS + "range")
_OBJECT_PROPERTY = NamedNode(OWL + "ObjectProperty")
_SAYS_NOTHING = frozenset({RDFS + "Literal", RDFS + "Resource", OWL + "rational", OWL + "real"})


def type_of_values(store: Store, names: Iterable[str]) -> ValueType:
    """The type of the values of a property.

    Args:
        store: closed knowledge.
        names: the property, those equivalent to it, and the more general ones.

    Returns:
        The type of the ranges if they agree; `IRI` for an object property; else the type of the values if they
        agree (integers among doubles are doubles); else `TERM`.
    """
    properties = [NamedNode(name) for name in names]
    stated = {kind for p in properties for kind in _stated(store, p)}
    if len(stated) == 1:
        return stated.pop()
    if any(_is_object_property(store, p) for p in properties):
        return ValueType.IRI
    return _common({_type_of(quad.object) for p in properties[:1] for quad in store.quads_for_pattern(None, p, None)})


def _stated(store: Store, prop: NamedNode) -> Iterable[ValueType]:
    for quad in store.quads_for_pattern(prop, _RANGE, None):
        named = quad.object
        if not isinstance(named, NamedNode) or named.value in _SAYS_NOTHING:
            continue
        if kind := type_of_datatype(named.value):
            yield kind
        elif named.value in {RDF + "langString", RDF + "PlainLiteral"}:
            yield ValueType.STRING
        elif not named.value.startswith(XSD) and not _is_datatype(store, named):
            yield ValueType.IRI


def _is_datatype(store: Store, named: NamedNode) -> bool:
    return _is_a(store, named, NamedNode(RDFS + "Datatype"))


def _is_object_property(store: Store, prop: NamedNode) -> bool:
    return _is_a(store, prop, _OBJECT_PROPERTY)


def _is_a(store: Store, subject: NamedNode, kind: NamedNode) -> bool:
    return next(store.quads_for_pattern(subject, TYPE, kind), None) is not None


def _type_of(term: object) -> ValueType:
    if isinstance(term, NamedNode):
        return ValueType.IRI
    if isinstance(term, Literal):
        return ValueType.STRING if term.language else type_of_datatype(term.datatype.value) or ValueType.TERM
    return ValueType.TERM


def _common(kinds: set[ValueType]) -> ValueType:
    if len(kinds) == 1:
        return kinds.pop()
    return ValueType.DOUBLE if kinds == {ValueType.INTEGER, ValueType.DOUBLE} else ValueType.TERM
