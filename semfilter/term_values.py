"""RDF terms as values of typed columns; what does not fit the type is null."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pyoxigraph as ox

from ..expressions import POLARS_TYPES
from ..language.nodes import XSD, ValueType, type_of_datatype

_DURATION = re.compile(r"(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(\.\d+)?S)?)?")
_LANGUAGE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"


def term_column(terms: Sequence[object], kind: ValueType) -> pl.Series:
    """A column of the canonical type of `kind`; null where there is no term, or one of another type."""
    read = _READERS[kind]
    return pl.Series([None if term is None else read(term) for term in terms], dtype=POLARS_TYPES[kind], strict=False)


def moment_value(lexical: str) -> datetime | None:
    """The UTC moment of an xsd:dateTime, to microseconds; without a zone it is UTC."""
    cut = re.sub(r"(\.\d{6})\d+", r"\1", lexical)
    try:
        moment = datetime.fromisoformat(cut)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _of_type(kind: ValueType, read: Callable[[ox.Literal], object]) -> Callable[[object], object]:
    def reader(term: object) -> object:
        if not isinstance(term, ox.Literal) or type_of_datatype(term.datatype.value) is not kind:
            return None
        try:
            return read(term)
        except ValueError:
            return None

    return reader


def _double(term: object) -> float | None:
    if not isinstance(term, ox.Literal):
        return None
    kind = type_of_datatype(term.datatype.value)
    if kind is None or not kind.numeric:
        return None
    try:
        value = float(term.value)
    except ValueError:
        return None
    return float(np.float32(value)) if term.datatype.value == XSD + "float" else value


def _integer(term: ox.Literal) -> int | None:
    value = int(term.value)
    return value if -(2**63) <= value < 2**63 else None


def _string(term: object) -> str | None:
    if not isinstance(term, ox.Literal):
        return None
    datatype = term.datatype.value
    return term.value if datatype == _LANGUAGE or type_of_datatype(datatype) is ValueType.STRING else None


def _duration(term: ox.Literal) -> timedelta | None:
    found = _DURATION.fullmatch(term.value)
    if found is None:
        return None
    sign, days, hours, minutes, seconds, fraction = found.groups(default="0")
    micros = round(float(f"0{fraction}") * 1e6) if fraction != "0" else 0
    size = timedelta(int(days), int(seconds), micros, 0, int(minutes), int(hours))
    return -size if sign == "-" else size


_READERS: dict[ValueType, Callable[[object], object]] = {
    ValueType.IRI: lambda term: term.value if isinstance(term, ox.NamedNode) else None,
    ValueType.TERM: str,
    ValueType.STRING: _string,
    ValueType.DOUBLE: _double,
    ValueType.INTEGER: _of_type(ValueType.INTEGER, _integer),
    ValueType.BOOLEAN: _of_type(
        ValueType.BOOLEAN, lambda term: {"true": True, "1": True, "false": False, "0": False}.get(term.value)
    ),
    ValueType.DATETIME: _of_type(ValueType.DATETIME, lambda term: moment_value(term.value)),
    ValueType.DURATION: _of_type(ValueType.DURATION, _duration),
}
