"""Columns of tables: what they are made for, and the values that they hold as they are.

Databases change what does not fit, and say nothing: in PostgreSQL 1.5 is 2 among whole numbers, in SQLite "007" is 7.
SQLAlchemy is an extra, and loaded when there is a column.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Column, Dialect

__all__ = ["ID", "column_of", "holder", "widens"]

ID = "_id"
_ID_LENGTH = 255
_WHOLE = 2.0**63
"""From here on a double is no integer of 64 bits."""
_NUMBERS = frozenset({int, float})
_KINDS = {bool: "a truth value", int: "a whole number", float: "a number", str: "a text", datetime: "a moment"}


def column_of(name: str, value: object) -> Column[Any]:
    """The column for an item of which a value is known."""
    from sqlalchemy import BigInteger, Boolean, Column, DateTime, Double, String, Text  # noqa: PLC0415 - see above

    if name == ID:
        return Column(name, String(_ID_LENGTH), primary_key=True)
    kinds: dict[type, Any] = {bool: Boolean(), int: BigInteger(), float: Double(), datetime: DateTime(timezone=True)}
    return Column(name, kinds.get(type(value), Text()))


def widens(column: Column[Any], values: Iterable[object], dialect: Dialect) -> bool:
    """Whether one of some values lets a column of whole numbers be NUMERIC, which holds all numbers.

    Only columns as `column_of` makes them, for what others have made is theirs, and where the database can. One of
    doubles stays as it is: threads that know it as such would go on to write doubles, of which 15 digits would be
    left.
    """
    from sqlalchemy import BigInteger  # noqa: PLC0415 - see above

    whole = isinstance(column.type, BigInteger) and dialect.name == "postgresql"
    return whole and any(isinstance(value, float) and not _is_whole(value) for value in values)


def holder(column: Column[Any], dialect: Dialect) -> Callable[[Any], Any]:
    """What makes of a value, not `None`, the one that is given to the database for a column, and is the same there.

    It raises a `ValueError` where that would be another one, and says of which kind, not which, the value is.
    """
    from sqlalchemy import Boolean, Float, Integer, Numeric, String  # noqa: PLC0415 - see above

    match column.type:
        case String():
            return _text
        case Boolean():
            return partial(_of_type, types=frozenset({bool}))
        case Integer() | Numeric(scale=0):
            return partial(_whole, fractions=dialect.name == "sqlite", truths=not dialect.supports_native_boolean)
        case Float():
            return _double
        case Numeric():
            return _decimal if dialect.name == "postgresql" else partial(_of_type, types=_NUMBERS)
        case _:
            return lambda value: value


def _text(value: Any) -> str:
    """What is no text is JSON."""
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, str) else json.dumps(value)


def _whole(value: Any, *, fractions: bool, truths: bool) -> int | float:
    """A whole number.

    Args:
        value: that it is.
        fractions: whether columns of whole numbers hold others as well.
        truths: whether they hold truth values: databases that know none have 0 and 1.
    """
    number: int | float = _of_type(value, _NUMBERS | {bool} if truths else _NUMBERS)
    if isinstance(number, int) or _is_whole(number):
        return int(number)
    if not fractions:
        raise _changed(value)
    return number


def _is_whole(number: float) -> bool:
    return number.is_integer() and abs(number) < _WHOLE


def _double(value: Any) -> float:
    number = float(_of_type(value, _NUMBERS))
    if number != value:
        raise _changed(value)
    return number


def _decimal(value: Any) -> Decimal:
    """All digits; PostgreSQL makes 15 of a double."""
    return Decimal(repr(_of_type(value, _NUMBERS)))


def _of_type(value: Any, types: frozenset[type]) -> Any:
    if type(value) not in types:
        raise _changed(value)
    return value


def _changed(value: object) -> ValueError:
    return ValueError(f"{_KINDS.get(type(value), type(value).__name__)} would be changed")
