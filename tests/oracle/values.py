"""Values: Python's own, IRIs apart from strings, and the reading of raw values and RDF terms as typed values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from urllib.parse import quote

from kaicep.language.nodes.types import ValueType, type_of_datatype
from rdflib import BNode, Literal, URIRef

__all__ = [
    "EPOCH",
    "INT64",
    "Iri",
    "Term",
    "Unreadable",
    "Value",
    "canonical",
    "inside",
    "later",
    "lexical",
    "plain",
    "read",
    "segment",
    "shown",
    "typed",
]


class Iri(str):
    """An IRI, so that it differs from a string of the same characters."""

    __slots__ = ()


Term = URIRef | Literal | BNode
Scalar = bool | int | float | str | datetime | timedelta | Iri | Term
Value = Scalar | tuple[Scalar, ...]
"""A tuple is what LIST gives."""
INT64 = 2**63
"""Integers and durations are from `-INT64` to `INT64 - 1`, durations in microseconds."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = (moment.replace(tzinfo=UTC) for moment in (datetime.min, datetime.max))  # noqa: DTZ901 - has one here


def inside(number: int) -> bool:
    """Whether an integer has 64 bits; what has not goes on as a double."""
    return -INT64 <= number < INT64


def later(moment: datetime, by: timedelta) -> datetime:
    """So much later, or earlier; what would lie beyond the calendar lies where that ends, or begins."""
    try:
        return moment + by
    except OverflowError:
        return _LAST if by > timedelta(0) else _FIRST


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?")


class Unreadable(Exception):
    """A raw value is no value of its attribute's type."""


def read(raw: object, value_type: ValueType) -> Value:
    """A raw value as a value of its attribute's type; a dateTime without a zone is UTC.

    Raises:
        Unreadable: it is none.
    """
    try:
        return _READ[value_type](raw)
    except (ValueError, OverflowError) as error:
        raise Unreadable(str(error)) from error


def _read_boolean(raw: object) -> bool:
    words = {"true": True, "1": True, "false": False, "0": False}
    if canonical(raw) not in words:
        raise ValueError(raw)
    return words[canonical(raw)]


def _read_integer(raw: object) -> int:
    if isinstance(raw, float):
        if raw != int(raw):
            raise ValueError(raw)
        return int(raw)
    return int(str(raw))


def _read_double(raw: object) -> float:
    return float(raw) if isinstance(raw, int | float) else float(str(raw))


def _read_string(raw: object) -> str:
    return raw if isinstance(raw, str) else canonical(as_number(raw))


def as_number(raw: object) -> object:
    """A whole number as an integer, however it was written: JSON does not tell 5.0 from 5."""
    return int(raw) if isinstance(raw, float) and raw.is_integer() and abs(raw) < 2**53 else raw


def _read_moment(raw: object) -> datetime:
    if isinstance(raw, str):
        if not _MOMENT.fullmatch(raw):
            raise ValueError(raw)
        raw = datetime.fromisoformat(raw)
    if not isinstance(raw, datetime):
        raise ValueError(raw)  # noqa: TRY004  # unreadable, whatever Python calls it
    return raw.replace(tzinfo=UTC) if raw.tzinfo is None else raw.astimezone(UTC)


_READ: dict[ValueType, Callable[[object], Value]] = {
    ValueType.BOOLEAN: _read_boolean,
    ValueType.INTEGER: _read_integer,
    ValueType.DOUBLE: _read_double,
    ValueType.STRING: _read_string,
    ValueType.DATETIME: _read_moment,
}


def canonical(value: object) -> str:
    """The text of a value in an event's id: unbound is `!`."""
    if value is None:
        return "!"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime):
        return str((value - EPOCH) // timedelta(microseconds=1))
    return str(value)


def lexical(value: Value) -> str:
    """The canonical lexical form, as XML Schema has it: `5.0E2`, `true`, `2012-05-07T00:00:00.5Z`, `PT1M30S`."""
    if isinstance(value, datetime):
        text = value.replace(tzinfo=None).isoformat()
        return (text.rstrip("0") if "." in text else text) + "Z"
    if isinstance(value, timedelta):
        return _lexical_duration(value)
    return _lexical_double(value) if isinstance(value, float) else canonical(value)


def _lexical_double(value: float) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{value}".replace("inf", "INF")
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    written = "".join(map(str, digits))
    power = int(exponent) + len(written) - 1 if value else 0
    fraction = written[1:].rstrip("0") or "0"
    return f"{'-' if sign else ''}{written[0]}.{fraction}E{power}"


def _lexical_duration(value: timedelta) -> str:
    sign, value = ("-" if value < timedelta(0) else ""), abs(value)
    hours, minutes, seconds = value.seconds // 3600, value.seconds // 60 % 60, value.seconds % 60
    fraction = f".{value.microseconds:06}".rstrip("0") if value.microseconds else ""
    days = f"{value.days}D" if value.days else ""
    time = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    time += f"{seconds}{fraction}S" if seconds or fraction else ""
    return f"{sign}P{days}T{time}" if time else f"{sign}P{days}" if days else "PT0S"


def segment(value: object) -> str:
    """The same as one segment of an IRI."""
    return "!" if value is None else quote(canonical(value), safe="")


def plain(term: Value) -> Value:
    """An RDF term as the Python value that it stands for; a literal of an unknown datatype stays as it is."""
    if isinstance(term, URIRef | BNode):
        return Iri(term)
    if not isinstance(term, Literal):
        return term
    value_type = ValueType.STRING if term.datatype is None else type_of_datatype(str(term.datatype))
    if value_type is None or value_type is ValueType.DURATION or term.language:
        return term
    try:
        return read(str(term), value_type)
    except Unreadable:
        return term


def typed(term: Term | None, value_type: ValueType) -> Value | None:
    """The value of a semantic variable of that static type; unbound where the term does not fit it."""
    if term is None or value_type is ValueType.TERM:
        return term
    value = plain(term)
    if value_type is ValueType.IRI:
        return value if isinstance(value, Iri) else None
    if isinstance(value, Iri):
        return None
    if value_type is ValueType.STRING:
        return str(term)
    if value_type is ValueType.DOUBLE and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    wanted = {ValueType.BOOLEAN: bool, ValueType.INTEGER: int, ValueType.DOUBLE: float, ValueType.DATETIME: datetime}
    return value if type(value) is wanted.get(value_type) else None


def shown(value: Value | None) -> object:
    """A value in an output row: terms and IRIs are their text or lexical form."""
    if isinstance(value, tuple):
        return [shown(v) for v in value]
    return str(value) if isinstance(value, str | Literal) else value
