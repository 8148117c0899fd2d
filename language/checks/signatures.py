"""The types that functions and operators take and give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..nodes import ValueType

Wanted = Literal["a number", "a string", "a boolean", "a dateTime", "a value", "an ordered value"]

_ACCEPTED: dict[Wanted, frozenset[ValueType]] = {
    "a number": frozenset({ValueType.INTEGER, ValueType.DOUBLE}),
    "a string": frozenset({ValueType.STRING}),
    "a boolean": frozenset({ValueType.BOOLEAN}),
    "a dateTime": frozenset({ValueType.DATETIME}),
    "a value": frozenset(ValueType),
    "an ordered value": frozenset(ValueType) - {ValueType.IRI},
}


def accepts(wanted: Wanted, type_: ValueType) -> bool:
    """Whether a value of this type may stand there; of a TERM only run time can say."""
    return type_ is ValueType.TERM or type_ in _ACCEPTED[wanted]


@dataclass(frozen=True, slots=True)
class Signature:
    """A scalar function.

    Attributes:
        parameters: what it takes; the last `optional` ones may be left out.
        result: its type; `None`: that of its first argument.
        optional: how many parameters may be left out.
    """

    parameters: tuple[Wanted, ...]
    result: ValueType | None
    optional: int = 0


SCALARS: dict[str, Signature] = {
    **{name: Signature(("a number",), None) for name in ("ABS", "ROUND", "FLOOR", "CEIL")},
    **{name: Signature(("a string",), ValueType.STRING) for name in ("LCASE", "UCASE")},
    **{name: Signature(("a string", "a string"), ValueType.BOOLEAN) for name in ("CONTAINS", "STRSTARTS", "STRENDS")},
    **{name: Signature(("a dateTime",), ValueType.INTEGER) for name in ("YEAR", "MONTH", "DAY", "HOURS", "MINUTES")},
    "SECONDS": Signature(("a dateTime",), ValueType.DOUBLE),
    "STRLEN": Signature(("a string",), ValueType.INTEGER),
    "STR": Signature(("a value",), ValueType.STRING),
    "REGEX": Signature(("a string", "a string", "a string"), ValueType.BOOLEAN, optional=1),
    "BOUND": Signature(("a value",), ValueType.BOOLEAN),
    "PREV": Signature(("a value",), None),
}
"""COALESCE and IF, whose arguments have to agree, are not among them."""

AGGREGATES: dict[str, tuple[Wanted, ValueType | None]] = {
    "AVG": ("a number", ValueType.DOUBLE),
    "SUM": ("a number", None),
    "STDDEV": ("a number", ValueType.DOUBLE),
    "COUNT": ("a value", ValueType.INTEGER),
    "MIN": ("an ordered value", None),
    "MAX": ("an ordered value", None),
    "FIRST": ("a value", None),
    "LAST": ("a value", None),
    "LIST": ("a value", ValueType.TERM),
}
"""What each takes, and its type; `None`: that of its argument."""

FUNCTIONS = sorted({*SCALARS, *AGGREGATES, "COALESCE", "IF"})
"""All names that may stand before `(`."""


def spoken(type_: ValueType) -> str:
    """A type in a sentence."""
    match type_:
        case ValueType.INTEGER:
            return "an integer"
        case ValueType.IRI:
            return "an IRI"
        case ValueType.TERM:
            return "an RDF term"
        case _:
            return f"a {type_.value}"


def common(left: ValueType, right: ValueType) -> ValueType | None:
    """The type to which both can be brought; `None`: there is none."""
    if left is right or right is ValueType.TERM:
        return left
    if left is ValueType.TERM:
        return right
    return ValueType.DOUBLE if left.numeric and right.numeric else None


_D, _T = ValueType.DURATION, ValueType.DATETIME
_TEMPORAL: dict[tuple[ValueType, str, ValueType], ValueType] = {
    (_T, "-", _T): _D, (_T, "-", _D): _T, (_T, "+", _D): _T, (_D, "+", _T): _T, (_D, "-", _D): _D, (_D, "+", _D): _D,
    (_D, "/", _D): ValueType.DOUBLE,
    **{(_D, operator, n): _D for operator in "*/" for n in (ValueType.INTEGER, ValueType.DOUBLE)},
    **{(n, "*", _D): _D for n in (ValueType.INTEGER, ValueType.DOUBLE)},
}  # fmt: skip


def arithmetic(left: ValueType, operator: str, right: ValueType) -> ValueType | None:
    """The type of an arithmetic operation; `None`: it has none. Division gives a double: SPARQL's decimal."""
    if (left, operator, right) in _TEMPORAL:
        return _TEMPORAL[left, operator, right]
    if not (accepts("a number", left) and accepts("a number", right)):
        return None
    whole = left is right is ValueType.INTEGER and operator != "/"
    return ValueType.INTEGER if whole else ValueType.DOUBLE
