"""Expressions, evaluated over one choice of candidates, with SPARQL's error semantics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial, singledispatch
from typing import Any

from kaicep.language.nodes.expression import Binary, Binding, Call, Column, Constant, Expression, Membership, Unary
from kaicep.language.nodes.types import ValueType
from rdflib import Literal
from rdflib.util import from_n3

from .events import Event
from .functions import FUNCTIONS
from .values import INT64, Iri, Term, Value, inside, plain

__all__ = [
    "Candidate",
    "NothingBefore",
    "Scope",
    "Unbound",
    "bound",
    "holds",
    "holds_stepwise",
    "item",
    "ordered",
    "value",
]


class Unbound(Exception):
    """The expression has no value: something in it is unbound, or an error in SPARQL's sense."""


class NothingBefore(Unbound):
    """It has none for the only reason that nothing stands before the event in its run."""


@dataclass(frozen=True)
class Candidate:
    """An event that FILTERs and PATHs let through, with one solution of its PATHs."""

    event: Event
    bindings: Mapping[str, Value | None] = field(default_factory=dict)

    @property
    def order(self) -> tuple[Any, ...]:
        """The total order of events, then of solutions."""
        return *self.event.order, *(ordered(self.bindings[name]) for name in sorted(self.bindings))


@dataclass(frozen=True)
class Scope:
    """What variables stand for.

    Attributes:
        chosen: the one candidate that `?v.x` speaks of.
        runs: the candidates that an aggregate of `?v` is taken over: its run, or its window.
        earlier: those of its run that come before the event that is being tested, for RUNNING and PREV.
        before: what variables stood for at the group's report before.
    """

    chosen: Mapping[str, Candidate]
    runs: Mapping[str, Sequence[Candidate]]
    earlier: Mapping[str, Sequence[Candidate]] = field(default_factory=dict)
    before: Scope | None = None


def holds(condition: Expression, scope: Scope) -> bool:
    """Whether the condition is true; unbound and errors are not."""
    try:
        return _truth(value(condition, scope))
    except Unbound:
        return False


def holds_stepwise(condition: Expression, scope: Scope) -> bool:
    """The same of a condition with RUNNING or PREV: unbound only because nothing came before, it holds."""
    try:
        return _truth(value(condition, scope))
    except NothingBefore:
        return True
    except Unbound:
        return False


def values(expressions: Sequence[Expression], scope: Scope) -> list[Value]:
    """The values of several expressions.

    Raises:
        NothingBefore: some have none, and all of those for that reason alone.
        Unbound: some have none.
    """
    found: list[Value] = []
    reasons: list[Unbound] = []
    for expression in expressions:
        try:
            found.append(plain(value(expression, scope)))
        except Unbound as reason:
            reasons.append(reason)
    if reasons:
        raise worst(reasons)
    return found


def worst(reasons: Sequence[Unbound]) -> Unbound:
    """Of several reasons to be unbound one that is not that nothing came before, if there is one."""
    return next((r for r in reasons if not isinstance(r, NothingBefore)), reasons[0])


def item(expression: Expression, scope: Scope) -> Value | None:
    """The value of an expression, `None` when it is unbound."""
    try:
        return value(expression, scope)
    except Unbound:
        return None


@singledispatch
def value(expression: Expression, scope: Scope) -> Value:
    """The value of an expression.

    Raises:
        Unbound: it has none.
    """
    raise TypeError(type(expression))


def ordered(v: Value | None) -> tuple[object, ...]:
    """A key that orders values of one type, unbound first."""
    return (0,) if v is None else (1, str(v) if isinstance(v, str | Literal) else v)


@value.register
def _(expression: Constant, scope: Scope) -> Value:
    if expression.type is ValueType.TERM:
        term = from_n3(str(expression.value))
        assert isinstance(term, Literal)
        return term
    return Iri(str(expression.value)) if expression.type is ValueType.IRI else expression.value


@value.register
def _(expression: Column, scope: Scope) -> Value:
    candidate = scope.chosen.get(expression.variable)
    if candidate is None:
        raise Unbound
    event = candidate.event
    special: dict[str, Value] = {"_time": event.time, "_id": Iri(event.id)}
    return bound(special.get(expression.name, event.values.get(expression.name)))


@value.register
def _(expression: Binding, scope: Scope) -> Value:
    candidate = scope.chosen.get(expression.variable)
    return bound(None if candidate is None else candidate.bindings.get(expression.name))


@value.register
def _(expression: Unary, scope: Scope) -> Value:
    operand = value(expression.operand, scope)
    if expression.operator == "NOT":
        return not _truth(operand)
    number = _number_or_duration(operand)
    negated: Value = -number
    return -float(number) if isinstance(number, int) and not inside(-number) else negated


@value.register
def _(expression: Binary, scope: Scope) -> Value:
    if expression.operator in ("AND", "OR"):
        return _connect(expression, scope)
    left, right = values((expression.left, expression.right), scope)
    if expression.operator in _COMPARE:
        return _COMPARE[expression.operator](left, right)
    try:
        result: Value = _ARITHMETIC[expression.operator](left, right)
    except (TypeError, OverflowError, ZeroDivisionError) as error:
        raise Unbound from error
    return result


@value.register
def _(expression: Membership, scope: Scope) -> Value:
    operand = plain(value(expression.operand, scope))
    verdicts = [_attempt(partial(_equal, operand, plain(value(option, scope)))) for option in expression.options]
    if True in verdicts:
        return True
    return bound(None if None in verdicts else False)


@value.register
def _(expression: Call, scope: Scope) -> Value:
    if expression.function in _LAZY:
        return _LAZY[expression.function](expression.arguments, scope)
    arguments = values(expression.arguments, scope)
    try:
        result: Value = FUNCTIONS[expression.function](*arguments)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Unbound from error
    return result


def bound(found: Value | None) -> Value:
    """The value.

    Raises:
        Unbound: there is none.
    """
    if found is None:
        raise Unbound
    return found


def _attempt(evaluation: Callable[[], bool]) -> bool | None:
    try:
        return evaluation()
    except Unbound:
        return None


def _truth_of(expression: Expression, scope: Scope) -> bool:
    return _truth(value(expression, scope))


def _truth(v: Value) -> bool:
    """SPARQL's effective boolean value."""
    v = plain(v)
    if isinstance(v, bool):
        return v
    if isinstance(v, int | float):
        return v != 0 and v == v  # noqa: PLR0124  # NaN is false
    if isinstance(v, str) and not isinstance(v, Iri | Term):
        return v != ""
    raise Unbound


def _connect(expression: Binary, scope: Scope) -> bool:
    """AND and OR: an error beside what decides anyway does not matter."""
    sides: list[bool] = []
    reasons: list[Unbound] = []
    for side in (expression.left, expression.right):
        try:
            sides.append(_truth_of(side, scope))
        except Unbound as reason:
            reasons.append(reason)
    decisive = expression.operator == "OR"
    if decisive in sides:
        return decisive
    if reasons:
        raise worst(reasons)
    return not decisive


def _number_or_duration(v: Value) -> Any:
    v = plain(v)
    if isinstance(v, bool) or not isinstance(v, int | float | timedelta):
        raise Unbound
    return v


_ORDERED: tuple[tuple[type, ...], ...] = ((bool,), (int, float), (datetime,), (timedelta,), (str,))


def _kind(v: Value) -> tuple[type, ...] | None:
    """The types that a value may be compared with, `None` for IRIs and terms of unknown datatypes."""
    if isinstance(v, Iri | Term):
        return None
    if isinstance(v, bool):
        return (bool,)
    return next((kind for kind in _ORDERED if isinstance(v, kind)), None)


def _equal(left: Value, right: Value) -> bool:
    """SPARQL's `=`: IRIs by their text, literals by value; literals of different types are an error."""
    if isinstance(left, Iri) or isinstance(right, Iri):
        return isinstance(left, Iri) and isinstance(right, Iri) and str(left) == str(right)
    if isinstance(left, Term) and isinstance(right, Term) and left == right:
        return True
    if _kind(left) is None or _kind(left) != _kind(right):
        raise Unbound
    left, right = _of_one_kind(left, right)
    return bool(left == right)


def _of_one_kind(left: Any, right: Any) -> tuple[Any, Any]:
    """An integer and a double are compared as doubles."""
    if isinstance(left, float) is not isinstance(right, float) and _numeric(left) and _numeric(right):
        return float(left), float(right)
    return left, right


def _less(left: Any, right: Any) -> bool:
    if _kind(left) is None or _kind(left) != _kind(right):
        raise Unbound
    left, right = _of_one_kind(left, right)
    return bool(left < right)


def _less_or_equal(left: Value, right: Value) -> bool:
    return _less(left, right) or _equal(left, right)


_COMPARE: dict[str, Callable[[Value, Value], bool]] = {
    "=": _equal,
    "!=": lambda a, b: not _equal(a, b),
    "<": _less,
    "<=": _less_or_equal,
    ">": lambda a, b: _less(b, a),
    ">=": lambda a, b: _less_or_equal(b, a),
}


def _numeric(v: Any) -> bool:
    return isinstance(v, int | float) and not isinstance(v, bool)


def _arithmetic(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Numbers by numbers; moments and durations as Python adds and subtracts them."""

    def checked(a: Any, b: Any) -> Any:
        temporal = isinstance(a, datetime | timedelta) or isinstance(b, datetime | timedelta)
        if not temporal and not (_numeric(a) and _numeric(b)):
            raise Unbound
        result = operate(a, b)
        if isinstance(result, int) and not inside(result):
            return operate(float(a), float(b))
        if isinstance(result, timedelta) and not -INT64 <= result // timedelta(microseconds=1) < INT64:
            raise Unbound
        return result

    return checked


def _divide(a: Any, b: Any) -> Any:
    if b != 0 or not _numeric(b):
        return a / b
    if isinstance(a, int) and isinstance(b, int):
        raise Unbound
    if a == 0 or a != a:  # noqa: PLR0124  # NaN
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _remainder(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        if b == 0:
            raise Unbound
        return int(math.copysign(abs(a) % abs(b), a))
    return math.nan if b == 0 or math.isinf(a) else math.fmod(a, b)


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": _arithmetic(lambda a, b: a + b),
    "-": _arithmetic(lambda a, b: a - b),
    "*": _arithmetic(lambda a, b: a * b),
    "/": _arithmetic(_divide),
    "%": _arithmetic(_remainder),
}


def _if(arguments: Sequence[Expression], scope: Scope) -> Value:
    condition, then, otherwise = arguments
    return value(then if _truth(value(condition, scope)) else otherwise, scope)


def _coalesce(arguments: Sequence[Expression], scope: Scope) -> Value:
    reasons: list[Unbound] = []
    for argument in arguments:
        try:
            return value(argument, scope)
        except Unbound as reason:
            reasons.append(reason)
    raise worst(reasons)


def _previous(arguments: Sequence[Expression], scope: Scope) -> Value:
    """PREV: the attribute, of the event before this one in the run."""
    (argument,) = arguments
    assert isinstance(argument, Column | Binding)
    before = scope.earlier.get(argument.variable, ())
    if not before:
        raise NothingBefore
    return value(argument, Scope({**scope.chosen, argument.variable: before[-1]}, scope.runs))


def _isbound(arguments: Sequence[Expression], scope: Scope) -> Value:
    return item(arguments[0], scope) is not None


_LAZY: dict[str, Callable[[Sequence[Expression], Scope], Value]] = {
    "IF": _if,
    "COALESCE": _coalesce,
    "BOUND": _isbound,
    "PREV": _previous,
}
