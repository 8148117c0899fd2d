"""The types of values in events, knowledge and expressions."""

from __future__ import annotations

from enum import StrEnum

XSD = "http://www.w3.org/2001/XMLSchema#"


class ValueType(StrEnum):
    """The type of an expression, known before any event arrives.

    `TERM` is an RDF term of which nothing is known before run time: a semantic variable whose property says
    nothing about its range. Its column holds N-Triples text.
    """

    BOOLEAN = "boolean"
    INTEGER = "integer"
    DOUBLE = "double"
    STRING = "string"
    DATETIME = "dateTime"
    DURATION = "duration"
    IRI = "iri"
    TERM = "term"

    @property
    def numeric(self) -> bool:
        """Whether arithmetic applies."""
        return self in (ValueType.INTEGER, ValueType.DOUBLE)


_INTEGERS = (
    *("integer", "long", "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
    *("nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger"),
)
_BY_DATATYPE: dict[str, ValueType] = {
    **{XSD + name: ValueType.INTEGER for name in _INTEGERS},
    **{XSD + name: ValueType.DOUBLE for name in ("double", "float", "decimal")},
    **{XSD + name: ValueType.STRING for name in ("string", "normalizedString", "token", "anyURI")},
    XSD + "boolean": ValueType.BOOLEAN,
    XSD + "dateTime": ValueType.DATETIME,
    XSD + "dateTimeStamp": ValueType.DATETIME,
    XSD + "duration": ValueType.DURATION,
    XSD + "dayTimeDuration": ValueType.DURATION,
}


def type_of_datatype(datatype: str) -> ValueType | None:
    """The value type that an XSD datatype IRI stands for, `None` when kaicep has none for it."""
    return _BY_DATATYPE.get(datatype)
