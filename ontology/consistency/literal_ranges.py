"""Literals that are none of their datatype, or not of the range of their property (rule dt-not-type of OWL 2 RL)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import BlankNode, Literal, NamedNode, Store

from ...language.nodes import ValueType, type_of_datatype
from ..terms import XSD, select

_DATE = r"-?\d{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_TIME = r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?|24:00:00(\.0+)?"
_LEXICAL = {
    ValueType.INTEGER: re.compile(r"[+-]?\d+"),
    ValueType.DOUBLE: re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN"),
    ValueType.BOOLEAN: re.compile(r"true|false|0|1"),
    ValueType.DATETIME: re.compile(rf"{_DATE}T({_TIME})(Z|[+-]\d\d:\d\d)?"),
}
_WITH_RANGE = "SELECT DISTINCT ?x ?p ?v ?r { ?p rdfs:range ?r . ?x ?p ?v FILTER(isLiteral(?v)) } ORDER BY ?x ?p ?v ?r"


@dataclass(frozen=True, slots=True)
class WrongLiteral:
    """A value that its property cannot have: `expected` is the datatype that it is not of."""

    subject: NamedNode | BlankNode
    property: NamedNode
    value: Literal
    expected: NamedNode


def wrong_literals(store: Store) -> Iterator[WrongLiteral]:
    """The literals that are ill-formed, then those that do not fit their property's range.

    Milder than the standard where people are: an integer fits a range of doubles, a text with a language one of
    strings, and `xsd:anyURI` is a string.
    """
    for quad in store:
        if isinstance(quad.object, Literal) and not _well_formed(quad.object):
            yield WrongLiteral(quad.subject, quad.predicate, quad.object, quad.object.datatype)
    for subject, prop, value, expected in select(store, _WITH_RANGE):
        if not _fits(value, expected.value):
            yield WrongLiteral(subject, prop, value, expected)


def _well_formed(literal: Literal) -> bool:
    datatype = literal.datatype.value
    if not datatype.startswith(XSD):
        return True
    pattern = _LEXICAL.get(type_of_datatype(datatype) or ValueType.TERM)
    return pattern is None or pattern.fullmatch(literal.value.strip()) is not None


def _fits(literal: Literal, expected: str) -> bool:
    wanted, given = type_of_datatype(expected), _type_of(literal)
    if wanted is None or given is None or wanted is given:
        return True
    if wanted is ValueType.INTEGER and given is ValueType.DOUBLE:
        return re.fullmatch(r"[+-]?\d+(\.0*)?", literal.value) is not None
    return wanted is ValueType.DOUBLE and given is ValueType.INTEGER


def _type_of(literal: Literal) -> ValueType | None:
    return ValueType.STRING if literal.language else type_of_datatype(literal.datatype.value)
