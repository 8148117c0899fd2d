"""Integers that leave 64 bits go on as doubles: expressions rewritten so that their columns can say it.

A column of integers has 64 bits; what leaves them is unbound in it. So a condition on such integers is asked of the
integers, and where these leave, of the doubles in their place; an item has a companion that holds the double where the
integer has left. Where one of the values that an aggregate is taken of has left, all of them are doubles.

A rewritten sum grows with the square of its operands, and a condition within conditions doubles with each; so what is
rewritten is counted, and has an end.

Source: XPath functions 3.1 §4.2 leaves overflow to implementations; docs/semantics.md 2.5 says what happens here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from itertools import count
from typing import assert_never

from ..errors import OperatorError
from ..language import Span
from ..language.nodes import (
    Aggregate,
    Binary,
    BinaryOperator,
    Binding,
    Call,
    Column,
    Constant,
    Expression,
    Intrinsic,
    Membership,
    Unary,
    ValueType,
    companion_of,
    is_wide,
    walk,
)

__all__ = ["LengthyError", "companion", "group_value", "lists_wide", "settled"]

_INTEGER, _DOUBLE, _BOOLEAN = ValueType.INTEGER, ValueType.DOUBLE, ValueType.BOOLEAN
_MOST_STEPS = 20_000
"""A sum of some 140 integers takes as many."""
_STEPS: ContextVar[Iterator[int]] = ContextVar("_STEPS")


class LengthyError(OperatorError):
    """Far too much would have to be computed of integers that may leave 64 bits.

    Attributes:
        span: of the expression in the query's text.
    """

    def __init__(self, span: Span) -> None:
        message = (
            "an expression of integers is too long: where they leave 64 bits, each part is computed in doubles too"
        )
        hint = "declare the attributes as xsd:double, or give parts of it names in a query of their own"
        super().__init__(message, hint=hint)
        self.span = span


def lists_wide(e: Expression) -> bool:
    """Whether it is a LIST of integers that may leave 64 bits."""
    return isinstance(e, Aggregate) and e.function == "LIST" and e.argument is not None and is_wide(e.argument)


def settled(e: Expression) -> Expression:
    """What has the same value although integers in it may leave 64 bits; an integer that leaves itself is unbound.

    Raises:
        LengthyError: far too much would have to be computed.
    """
    with _counted(e):
        return _settled(e)


@contextmanager
def _counted(e: Expression) -> Iterator[None]:
    token = _STEPS.set(count())
    try:
        yield
    except (_TooManyStepsError, RecursionError) as error:
        raise LengthyError(e.span) from error
    finally:
        _STEPS.reset(token)


class _TooManyStepsError(Exception):
    pass


def _count() -> None:
    if next(_STEPS.get()) > _MOST_STEPS:
        raise _TooManyStepsError


def _settled(e: Expression) -> Expression:
    _count()
    if not any(is_wide(node) for node in walk(e)):
        return e
    found = _rewritten(e)
    return Call(Intrinsic.EXACT, (found,), _INTEGER, e.span) if is_wide(e) else found


def _rewritten(e: Expression) -> Expression:
    match e:
        case Call(function=Intrinsic.EXACT | Intrinsic.OVERFLOW | Intrinsic.PREV) | Constant() | Column() | Binding():
            return e
        case Binary():
            return _binary(e)
        case Unary(operator="NOT"):
            return replace(e, operand=_as_number(e.operand))
        case Unary():
            return replace(e, operand=_settled(e.operand))
        case Membership():
            return _either(
                replace(e, operand=_settled(e.operand)), replace(e, operand=_as_number(e.operand)), e.operand
            )
        case Call():
            return _call(e)
        case Aggregate():
            return _aggregate(e)
        case _:
            assert_never(e)


def companion(e: Expression) -> Expression:
    """The double that stands for an integer that has left 64 bits, else unbound; of a LIST all values as doubles."""
    with _counted(e):
        if lists_wide(e) and isinstance(e, Aggregate) and e.argument is not None:
            return replace(e, argument=_doubled(e.argument))
        left = Call("BOUND", (_settled(e),), _BOOLEAN, e.span)
        return Call("IF", (left, _never(e, _DOUBLE), _doubled(e)), _DOUBLE, e.span)


def group_value(e: Expression) -> Expression:
    """What tells groups apart by an expression: an integer that may leave by its text."""
    if not is_wide(e):
        return settled(e)
    with _counted(e):
        texts = [Call("STR", (x,), ValueType.STRING, e.span) for x in (_settled(e), _doubled(e))]
    return Call(Intrinsic.OVERFLOW, tuple(texts), ValueType.STRING, e.span)


def _either(known: Expression, otherwise: Expression, *asked: Expression) -> Expression:
    """What is known of integers, and where one of those that are asked has left, of doubles."""
    if not any(map(is_wide, asked)):
        return known
    return Call(Intrinsic.OVERFLOW, (known, otherwise), known.type, known.span)


def _as_number(e: Expression) -> Expression:
    """An integer that may leave as a double; anything else settled."""
    return _doubled(e) if is_wide(e) else _settled(e)


def _double(e: Expression) -> Expression:
    """Any integer as a double."""
    return _doubled(e) if e.type is _INTEGER else _settled(e)


def _never(e: Expression, of: ValueType) -> Expression:
    """What is never bound."""
    zero = Constant(0, _INTEGER, e.span)
    return Binary("%" if of is _INTEGER else "/", zero, zero, of, e.span)


def _binary(e: Binary) -> Expression:
    sides = e.left, e.right
    of_integers = e.operator == "/" and e.left.type is e.right.type is _INTEGER
    if e.operator in ("AND", "OR") or (e.type is _DOUBLE and not of_integers):
        return replace(e, left=_as_number(e.left), right=_as_number(e.right))
    known = replace(e, left=_settled(e.left), right=_settled(e.right))
    if e.type is _INTEGER or not any(map(is_wide, sides)):
        return known
    otherwise = replace(e, left=_double(e.left), right=_double(e.right))
    return _either(known, _if_left(sides, otherwise) if of_integers else otherwise, *sides)


def _if_left(sides: Sequence[Expression], value: Expression) -> Expression:
    """A value where one of the sides has left: an operation on integers that is an error is none on doubles."""
    left, right = (Call("BOUND", (_settled(side),), _BOOLEAN, side.span) for side in sides)
    inside = Binary("AND", left, right, _BOOLEAN, value.span)
    return Call("IF", (inside, _never(value, value.type), value), value.type, value.span)


def _call(e: Call) -> Expression:
    match e.function:
        case "IF":
            test, *values = e.arguments
            return replace(e, arguments=(_as_number(test), *(_of_type(value, e.type) for value in values)))
        case "COALESCE" if e.type is _INTEGER:
            return _first_bound(e)
        case "COALESCE":
            return replace(e, arguments=tuple(_of_type(value, e.type) for value in e.arguments))
        case "STR":
            known, doubles = (replace(e, arguments=tuple(map(of, e.arguments))) for of in (_settled, _as_number))
            return _either(known, doubles, *e.arguments)
        case _:
            of = _as_number if e.function == "BOUND" or e.type is _DOUBLE else _settled
            return replace(e, arguments=tuple(map(of, e.arguments)))


def _of_type(e: Expression, of: ValueType) -> Expression:
    """An argument of a function whose values are brought to one type."""
    if of is _INTEGER or not is_wide(e):
        return _settled(e)
    if of is ValueType.TERM:
        return Call("COALESCE", (_settled(e), _doubled(e)), of, e.span)
    return _doubled(e)


def _first_bound(e: Call) -> Expression:
    """COALESCE: an integer that has left is bound, and is nothing that may be passed over."""
    *before, last = e.arguments
    found = _settled(last)
    for argument in reversed(before):
        value = _settled(argument)
        if is_wide(argument):  # its double is bound where the integer is, and where that has left
            bound = Call("BOUND", (_doubled(argument),), _BOOLEAN, e.span)
            found = Call("IF", (bound, value, found), _INTEGER, e.span)
        else:
            found = Call("COALESCE", (value, found), _INTEGER, e.span)
    return found


def _aggregate(e: Aggregate) -> Expression:
    if e.argument is None or not is_wide(e.argument):
        return e if e.argument is None else replace(e, argument=_settled(e.argument))
    known, doubles = replace(e, argument=_settled(e.argument)), replace(e, argument=_doubled(e.argument))
    match e.function:
        case "COUNT" if not e.distinct:
            return doubles
        case "STDDEV" | "MEDIAN" | "PERCENTILE":
            return doubles
        case "LIST":
            return known
        case _:
            otherwise = _never(e, _INTEGER) if is_wide(e) else doubles
            return Call("IF", (_all_inside(e), known, otherwise), e.type, e.span)


def _all_inside(e: Aggregate) -> Expression:
    """Whether none of the values of an aggregate has left."""
    argument = e.argument or _never(e, _INTEGER)
    count = replace(e, function="COUNT", type=_INTEGER, distinct=False, parameters=())
    inside, every = replace(count, argument=_settled(argument)), replace(count, argument=_doubled(argument))
    return Binary("=", inside, every, _BOOLEAN, e.span)


def _doubled(e: Expression) -> Expression:
    """An integer as a double, exactly as far as it goes, or what goes on in its place."""
    match e:
        case Call(function="COALESCE", arguments=arguments) if is_wide(e):
            return replace(e, arguments=tuple(map(_double, arguments)), type=_DOUBLE)
        case Call(function="IF", arguments=(test, *values)) if is_wide(e):
            return replace(e, arguments=(_as_number(test), *map(_double, values)), type=_DOUBLE)
        case Aggregate(argument=argument) if argument is not None and is_wide(e):
            return _doubled_aggregate(e, argument)
        case _:
            return _exact_or_beyond(e, Call(Intrinsic.DOUBLE, (_settled(e),), _DOUBLE, e.span))


def _exact_or_beyond(e: Expression, exact: Expression) -> Expression:
    """The integer as it is, and where it has left, the same of doubles."""
    match e:
        case _ if not is_wide(e):
            return exact
        case Column() | Binding():
            return _either(exact, companion_of(e), e)
        case Call(function=Intrinsic.PREV, arguments=(Column() as column,)):
            return _either(exact, replace(e, arguments=(companion_of(column),), type=_DOUBLE), e)
        case Binary(operator="%"):
            return _either(exact, _if_left((e.left, e.right), _on_doubles(e, "%")), e)
        case Binary(operator=operator):
            return _either(exact, _on_doubles(e, operator), e)
        case Unary(operand=operand):
            return _either(exact, replace(e, operand=_double(operand), type=_DOUBLE), e)
        case Call(arguments=arguments):
            return _either(exact, replace(e, arguments=tuple(map(_double, arguments)), type=_DOUBLE), e)
        case _:
            return exact


def _on_doubles(e: Binary, operator: BinaryOperator) -> Expression:
    return Binary(operator, _double(e.left), _double(e.right), _DOUBLE, e.span)


def _doubled_aggregate(e: Aggregate, argument: Expression) -> Expression:
    """SUM is exact before it is a double; what chooses among values that have left chooses among doubles."""
    total = e.function == "SUM"
    exact = replace(e, argument=_settled(argument), type=_DOUBLE if total else _INTEGER)
    inside = exact if total else Call(Intrinsic.DOUBLE, (exact,), _DOUBLE, e.span)
    if not is_wide(argument):
        return inside
    beyond = replace(e, argument=_doubled(argument), type=_DOUBLE)
    return Call("IF", (_all_inside(e), inside, beyond), _DOUBLE, e.span)
