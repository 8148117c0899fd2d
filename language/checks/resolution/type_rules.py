"""Which types may stand where, and what operators make of them."""

from __future__ import annotations

from ...nodes import Signature, ValueType, Wanted, wanted_by

_ACCEPTED: dict[Wanted, frozenset[ValueType]] = {
    "a number": frozenset({ValueType.INTEGER, ValueType.DOUBLE}),
    "a string": frozenset({ValueType.STRING}),
    "a boolean": frozenset({ValueType.BOOLEAN}),
    "a dateTime": frozenset({ValueType.DATETIME}),
    "a value": frozenset(ValueType),
    "an attribute": frozenset(ValueType),
    "one type": frozenset(ValueType),
    "a unit": frozenset({ValueType.IRI}),
    "an ordered value": frozenset(ValueType) - {ValueType.IRI},
}


def accepts(wanted: Wanted, type_: ValueType) -> bool:
    """Whether a value of this type may stand there; of a TERM only run time can say."""
    return type_ is ValueType.TERM or type_ in _ACCEPTED[wanted]


def agreeing(signature: Signature, count: int) -> list[int]:
    """The places, among so many arguments, of those that are brought to one type."""
    return [place for place, wanted in enumerate(wanted_by(signature, count)) if wanted == "one type"]


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


def as_number(type_: ValueType) -> ValueType:
    """The type of what arithmetic makes of a value of this type."""
    return ValueType.DOUBLE if type_ is ValueType.TERM else type_
