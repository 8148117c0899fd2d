"""Values and names as SPARQL text: terms are serialised by Oxigraph, and the names of variables are our own."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

import polars as pl
import pyoxigraph as ox

from ...annotator import lexical_text
from ...expressions import RefusedError
from ...language.nodes import XSD, Constant, ValueType

_DATATYPES = {
    ValueType.BOOLEAN: "boolean",
    ValueType.INTEGER: "integer",
    ValueType.DOUBLE: "double",
    ValueType.DATETIME: "dateTime",
}
_MICROSECONDS = 1_000_000


def iri(text: str) -> str:
    """An IRI in angle brackets."""
    return str(ox.NamedNode(text))


def iris(texts: Iterable[str]) -> str:
    """IRIs, separated by spaces."""
    return " ".join(map(iri, texts))


def constant(node: Constant) -> str:
    """A constant of a query as SPARQL text.

    Raises:
        RefusedError: it has no literal of its own.
    """
    match node.type, node.value:
        case ValueType.IRI, str(text):
            return iri(text)
        case ValueType.STRING, str(text):
            return str(ox.Literal(text))
        case ValueType.TERM, str(text):
            return text
        case ValueType.DURATION, timedelta() as duration:
            return duration_text(duration)
        case kind, value if kind in _DATATYPES:
            return _typed(value, XSD + _DATATYPES[kind])
        case _:
            raise RefusedError(f"SPARQL has no literal for a {node.type}")


def moment_text(moment: datetime) -> str:
    """A moment as a literal."""
    return _typed(moment, XSD + "dateTime")


def duration_text(duration: timedelta) -> str:
    """A duration as a literal, exact to the microsecond."""
    sign = "-" if duration < timedelta(0) else ""
    whole, rest = divmod(abs(duration) // timedelta(microseconds=1), _MICROSECONDS)
    return str(ox.Literal(f"{sign}PT{whole}.{rest:06d}S", datatype=ox.NamedNode(XSD + "dayTimeDuration")))


def _typed(value: object, datatype: str) -> str:
    return str(ox.Literal(lexical_text(pl.Series([value]), datatype)[0], datatype=ox.NamedNode(datatype)))
