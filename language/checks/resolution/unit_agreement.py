"""The units of quantities: which unit an expression's values have, and how two are brought to one.

On a scale with a zero of its own, as that of degrees Celsius, a temperature and a difference of temperatures are
converted differently. So it is counted how many *points* of the scale an expression adds up: 1 for a temperature and
for an average of some, 0 for a difference. A value `v` with `p` points becomes `factor · v + p · offset`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import assert_never

from ....errors import QueryTypeError
from ...name_lookup import Names
from ...nodes import (
    Aggregate,
    AggregateSignature,
    Binary,
    Binding,
    Call,
    Column,
    Constant,
    Conversion,
    Expression,
    Intrinsic,
    Signature,
    Unary,
    Unit,
    UnitRule,
    ValueType,
    walk,
)
from ...source_text import Span
from .type_rules import agreeing

__all__ = ["agree", "convert", "unit_of"]

"""The function that converts its first argument: times the second, plus the third; of a query's text, to the fourth."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What an expression's values are measured in.

    Attributes:
        unit: the unit.
        points: how many points of the unit's scale are added up; `None`: that depends on the values.
        literal: whether it is a quantity of the text, which is a point or a step as what it meets asks for.
    """

    unit: Unit
    points: Fraction | None
    literal: bool = False

    def scaled(self, factor: Fraction | None) -> Measure:
        """That of the values times a number; `None`: an unknown one."""
        points = None if factor is None or self.points is None else self.points * factor
        return Measure(self.unit, points if self.points else self.points, self.literal)


def unit_of(names: Names, expression: Expression) -> str | None:
    """IRI of the unit of an expression's values; `None`: it has none, no name, or nobody said which."""
    found = _measure(names, expression)
    whole = found is not None and (found.literal or not found.unit.offset or found.points == 1)
    return found.unit.iri if found is not None and whole else None


def agree(
    names: Names, left: Expression, right: Expression, span: Span, *, step: bool = False
) -> tuple[Expression, Expression]:
    """Bring what is compared, added or subtracted to one unit.

    A plain number takes the unit of the other side; a quantity of the text is converted; of two columns, the second.

    Args:
        names: for units and messages.
        left: one side.
        right: the other.
        span: of both.
        step: whether a quantity of the text is a step from the other side: in sums and differences.

    Raises:
        QueryTypeError: they measure different things, or a quantity meets values whose unit nobody said.
    """
    first, second = _measure(names, left), _measure(names, right)
    if first is None and second is None:
        return left, right
    if first is None or second is None:
        _refuse_unknown(names, left, right, first or second, span)
        return left, right
    if first.literal and not second.literal:
        return _converted(names, _Side(left, first), second, span, step=step), right
    return left, _converted(names, _Side(right, second), first, span, step=step)


def convert(names: Names, value: Expression, unit: Expression, span: Span) -> Expression:
    """What `CONVERT(value, unit)` means.

    Args:
        names: for units and messages.
        value: a number.
        unit: a name.
        span: of the call.

    Raises:
        QueryTypeError: nobody knows the unit, or that of the value, or they measure different things.
    """
    if not isinstance(unit, Constant):
        raise names.source.type_error(unit.span, "CONVERT takes a unit", "write its name, such as unit:M3-PER-SEC")
    to, of = names.unit(str(unit.value)), _measure(names, value)
    if of is None:
        message = f"nobody says in which unit '{names.source.quote(value.span)}' is"
        hint = "declare the attribute's unit in the annotation; a number is given one as 500 unit:L-PER-SEC"
        raise names.source.type_error(value.span, message, hint)
    conversion = _conversion(names, of.unit, to, unit.span, "name a unit of the same kind")
    conversion = conversion or Conversion(Fraction(1), Fraction(0))
    points = Fraction(1) if of.literal else of.points
    if conversion.offset and points not in (0, 1):
        raise _ambiguous(names, _Side(value, of), Measure(to, points), step=False)
    number = _number(value)
    if number is not None:
        return Constant(float(conversion.apply(number, points or Fraction(0))), ValueType.DOUBLE, span, to.iri)
    factor = Constant(float(conversion.factor), ValueType.DOUBLE, span, to.iri)
    offset = Constant(float((points or 0) * conversion.offset), ValueType.DOUBLE, span)
    return Call(Intrinsic.CONVERT, (value, factor, offset, unit), ValueType.DOUBLE, span)


@dataclass(frozen=True, slots=True)
class _Side:
    """An expression and what it is measured in."""

    value: Expression
    measure: Measure


def _measure(names: Names, expression: Expression) -> Measure | None:
    match expression:
        case Constant(unit=str(unit)):
            return Measure(names.unit(unit), None, literal=True)
        case Column(unit=str(unit)) | Binding(unit=str(unit)):
            return Measure(names.unit(unit), Fraction(1))
        case Unary(operator="-", operand=operand):
            found = _measure(names, operand)
            return None if found is None else found.scaled(Fraction(-1))
        case Binary(operator="+" | "-"):
            return _of_sum(names, expression)
        case Binary(operator="*" | "/" | "%"):
            return _of_product(names, expression)
        case Call(function=function, arguments=(operand, Constant(unit=unit), *_)) if function == Intrinsic.CONVERT:
            found = _measure(names, operand)
            return None if found is None or unit is None else replace(found, unit=names.unit(unit))
        case Call(function=function, arguments=arguments):
            return _of_result(names, names.signature(function), arguments)
        case Aggregate(function=function, argument=argument) if argument is not None:
            return _of_result(names, names.signature(function), (argument,))
    return None


def _of_sum(names: Names, node: Binary) -> Measure | None:
    left, right = _measure(names, node.left), _measure(names, node.right)
    if right is not None and node.operator == "-":
        right = right.scaled(Fraction(-1))
    if left is None or right is None:
        return left or right
    if left.literal or right.literal:
        return right if left.literal else left
    points = None if left.points is None or right.points is None else left.points + right.points
    return replace(left, points=points)


def _of_product(names: Names, node: Binary) -> Measure | None:
    left, right = _measure(names, node.left), _measure(names, node.right)
    if node.operator == "%":
        return None if left is None else left.scaled(None)
    if left is not None and right is not None:
        product = left.unit.times(right.unit, 1 if node.operator == "*" else -1)
        same = node.operator == "/" and left.unit == right.unit
        return None if product is None or same else Measure(product, Fraction(0), left.literal and right.literal)
    if right is None:
        return None if left is None else left.scaled(_factor(node.right, -1 if node.operator == "/" else 1))
    if node.operator == "*":
        return right.scaled(_factor(node.left, 1))
    inverse = _ONE.times(right.unit, -1)
    return None if inverse is None else Measure(inverse, Fraction(0), right.literal)


_ONE = Unit(None, (*(Fraction(0),) * 7, Fraction(1)))


def _factor(expression: Expression, power: int) -> Fraction | None:
    value = _number(expression)
    return None if value is None or (power < 0 and not value) else value**power


def _of_result(names: Names, of: Signature | AggregateSignature, arguments: Sequence[Expression]) -> Measure | None:
    """What the result of a function or an aggregate is measured in."""
    match of.unit:
        case UnitRule.NONE | UnitRule.NAMED:
            return None
        case UnitRule.KEPT:
            return _measure(names, arguments[0])
        case UnitRule.AGREED:
            places = agreeing(of, len(arguments)) if isinstance(of, Signature) else range(len(arguments))
            measures = [m for m in (_measure(names, arguments[place]) for place in places) if m is not None]
            return next((m for m in measures if not m.literal), measures[0] if measures else None)
        case UnitRule.DIFFERENCE:
            found = _measure(names, arguments[0])
            return None if found is None else Measure(found.unit, Fraction(0))
        case UnitRule.TOTAL:
            found = _measure(names, arguments[0])
            return None if found is None else Measure(found.unit, None if found.points else found.points)
        case _:
            assert_never(of.unit)


def _converted(names: Names, side: _Side, other: Measure, span: Span, *, step: bool) -> Expression:
    """A side in the unit of the other."""
    value, of = side.value, side.measure
    conversion = _conversion(names, of.unit, other.unit, span)
    if conversion is None or conversion.idle:
        return value
    points = of.points
    if of.literal:
        points = Fraction(0) if step else Fraction(1) if other.literal else other.points
    if conversion.offset and (points not in (0, 1) or (of.literal and step and of.unit.offset)):
        raise _ambiguous(names, side, other, step=step)
    number = _number(value)
    if number is not None:
        exact = conversion.apply(number, points or Fraction(0))
        return Constant(float(exact), ValueType.DOUBLE, value.span, other.unit.iri)
    factor = Constant(float(conversion.factor), ValueType.DOUBLE, value.span, other.unit.iri)
    offset = Constant(float((points or 0) * conversion.offset), ValueType.DOUBLE, value.span)
    return Call(Intrinsic.CONVERT, (value, factor, offset), ValueType.DOUBLE, value.span)


def _conversion(
    names: Names, of: Unit, to: Unit, span: Span, hint: str = "compare it with a quantity of the same kind"
) -> Conversion | None:
    """The conversion; `None` when the units are the same, whatever they are. `hint`: of those that measure another."""
    if of == to:
        return None
    for unit, other in ((of, to), (to, of)):
        if unit.dimension is None:
            raise names.source.type_error(
                span, f"nobody says how {_shown(names, unit)} is converted", _instead(names, unit, other)
            )
    conversion = of.to(to)
    if conversion is None:
        message = f"{_shown(names, of)} cannot be converted to {_shown(names, to)}: they measure different things"
        raise names.source.type_error(span, message, hint)
    return conversion


def _instead(names: Names, unit: Unit, other: Unit) -> str:
    """What to write instead of a unit that nobody has declared: a similar one, if it can be converted to the other."""
    terms = names.vocabulary.terms
    near = None if terms is None or unit.iri is None else terms.nearest_unit(unit.iri, other.dimension)
    if near is not None:
        return f"did you mean '{names.compact(near)}'?"
    return "declare it: its qudt:conversionMultiplier and qudt:hasDimensionVector"


def _ambiguous(names: Names, side: _Side, other: Measure, *, step: bool) -> QueryTypeError:
    written, to = names.source.quote(side.value.span), _shown(names, other.unit)
    if side.measure.literal and step:
        message = f"'{written}' may be a value or a difference here, which are converted to {to} differently"
        return names.source.type_error(side.value.span, message, f"write it in {to}")
    message = f"'{written}' cannot be converted to {to}: values of a scale are added up here, from a zero of its own"
    return names.source.type_error(side.value.span, message, "take their AVG, or use values of one unit")


def _shown(names: Names, unit: Unit) -> str:
    return "a product of units" if unit.iri is None else names.compact(unit.iri)


def _number(expression: Expression) -> Fraction | None:
    """The value of what is written with numbers only, as it is written; `None` for anything else."""
    match expression:
        case Constant(value=int() | float() as written) if not isinstance(written, bool):
            return Fraction(repr(written))
        case Unary(operator="-", operand=operand):
            number = _number(operand)
            return None if number is None else -number
        case Binary(operator="+" | "-" | "*" | "/" as operator, left=left, right=right):
            a, b = _number(left), _number(right)
            if a is None or b is None or (operator == "/" and not b):
                return None
            return {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else a}[operator]
    return None


def _refuse_unknown(names: Names, left: Expression, right: Expression, known: Measure | None, span: Span) -> None:
    """Refuse a quantity of the text beside an attribute whose unit nobody said."""
    if known is None or not known.literal:
        return
    quantity = any(isinstance(node, Constant) and node.unit is not None for node in walk(left))
    other = right if quantity else left
    if any(isinstance(node, Column) or (isinstance(node, Binding) and "." in node.name) for node in walk(other)):
        unit = _shown(names, known.unit)
        message = f"a quantity in {unit} meets '{names.source.quote(other.span)}', which has no unit"
        raise names.source.type_error(
            span, message, "declare the attribute's unit in the annotation, or write a number"
        )
