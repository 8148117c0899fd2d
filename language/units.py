"""The units of quantities: which unit an expression's values have, and whether two agree."""

from __future__ import annotations

from .expressions import Aggregate, Binary, Call, Column, Constant, Expression, Span, Unary
from .names import Names
from .walking import walk

_KEEPING = frozenset({"ABS", "ROUND", "FLOOR", "CEIL", "COALESCE", "PREV"})
_COUNTING = frozenset({"COUNT"})


def unit_of(expression: Expression) -> str | None:
    """IRI of the unit of an expression's values; `None`: it has none, or nobody said which."""
    match expression:
        case Constant(unit=unit) | Column(unit=unit):
            return unit
        case Unary(operand=operand):
            return unit_of(operand)
        case Binary(operator="+" | "-", left=left, right=right):
            return unit_of(left) or unit_of(right)
        case Binary(operator="*", left=left, right=right):
            return _of_one(left, right)
        case Binary(operator="/", left=left, right=right) if unit_of(right) is None:
            return unit_of(left)
        case Call(function=function, arguments=arguments) if function in _KEEPING:
            return unit_of(arguments[0])
        case Call(function="IF", arguments=arguments):
            return unit_of(arguments[1])
        case Aggregate(function=function, argument=argument) if function not in _COUNTING and argument is not None:
            return unit_of(argument)
    return None


def _of_one(left: Expression, right: Expression) -> str | None:
    units = [unit for unit in (unit_of(left), unit_of(right)) if unit is not None]
    return units[0] if len(units) == 1 else None


def agree(names: Names, left: Expression, right: Expression, span: Span) -> None:
    """Check that what is compared, added or subtracted has one unit.

    A plain number takes the unit of the other side.

    Raises:
        QueryTypeError: a quantity meets values whose unit is another or unknown.
    """
    first, second = unit_of(left), unit_of(right)
    if first == second:
        return
    if first is not None and second is not None:
        message = f"{names.compact(second)} cannot be converted to {names.compact(first)} yet"
        raise names.source.type_error(span, message, "give both sides in one unit")
    quantity, other = (left, right) if second is None else (right, left)
    unit = names.compact(first or second or "")
    if _is_quantity(quantity) and any(isinstance(node, Column) for node in walk(other)):
        message = f"a quantity in {unit} meets '{names.source.quote(other.span)}', which has no unit"
        raise names.source.type_error(
            span, message, "declare the attribute's unit in the annotation, or write a number"
        )


def _is_quantity(expression: Expression) -> bool:
    return any(isinstance(node, Constant) and node.unit is not None for node in walk(expression))
