"""ADIFF, RDIFF and ASLOPE, written with what is older and newer (EStreams §5.1.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from ... import syntax_tree as syntax
from ...nodes import ChangeMeasure, ChangeSignature, Expression, ValueType, aggregates_of
from .scope import Scope, demand

__all__ = ["NEW", "OLD", "resolve_change"]

OLD, NEW = "OLD", "NEW"
_SECOND = timedelta(seconds=1)


def resolve_change(
    scope: Scope,
    node: syntax.FunctionCall,
    signature: ChangeSignature,
    resolve: Callable[[syntax.Expression], Expression],
) -> Expression:
    """The checked form of a measure of change: of two events the newer one's value less the older one's, and so on.

    Raises:
        QueryTypeError: its arguments are not as many values, and perhaps a number.
    """
    name, values = node.function.text, node.arguments[: signature.values]
    least, most = signature.values, signature.values + (signature.measure is not ChangeMeasure.DIFFERENCE)
    if not least <= len(node.arguments) <= most or node.distinct or node.running:
        usage = ", ".join(("?e.x", "?e.y")[:least]) + ", 1" * (most > least)
        wanted = str(least) + f" or {most}" * (most > least) + " argument" + "s" * (most > 1)
        raise scope.error(node.span, f"{name} takes {wanted}", f"write {name} ({usage})")
    for value in values:
        _check_value(scope, name, resolve(value), signature.measure)
    added = node.arguments[signature.values :]
    if added and not _is_number(added[0]):
        raise scope.error(added[0].span, f"what {name} adds below the line is a number", f"write {name} (…, 1)")
    changes = [_change(value, resolve(value)) for value in values]
    match signature.measure:
        case ChangeMeasure.DIFFERENCE:
            return replace(resolve(changes[0]), span=node.span)
        case ChangeMeasure.RATIO:
            below: syntax.Expression = _call(OLD, values[0])
        case ChangeMeasure.SLOPE:
            below = changes[1]
    divisor = _operation(below, "+", added[0]) if added else below
    return replace(resolve(_operation(changes[0], "/", divisor)), span=node.span)


def _check_value(scope: Scope, name: str, value: Expression, measure: ChangeMeasure) -> None:
    if value.type is not ValueType.DATETIME or measure is ChangeMeasure.RATIO:
        demand(scope, value, "a number", f"{name} takes", "it is a difference, or a ratio of differences")


def _is_number(node: syntax.Expression) -> bool:
    inner = node.operand if isinstance(node, syntax.UnaryExpression) and node.operator != "NOT" else node
    return isinstance(inner, syntax.NumberLiteral)


def _change(value: syntax.Expression, known: Expression) -> syntax.Expression:
    """The newer one's value less the older one's; of moments, in seconds."""
    newer = value if aggregates_of(known) else _call(NEW, value)
    change = _operation(newer, "-", _call(OLD, value))
    if known.type is not ValueType.DATETIME:
        return change
    return _operation(change, "/", syntax.DurationLiteral(_SECOND, span=value.span))


def _call(function: str, value: syntax.Expression) -> syntax.FunctionCall:
    name = syntax.Name(function, span=value.span)
    return syntax.FunctionCall(name, (value,), distinct=False, running=False, span=value.span)


def _operation(left: syntax.Expression, operator: str, right: syntax.Expression) -> syntax.BinaryExpression:
    return syntax.BinaryExpression(operator, left, right, span=left.span)  # type: ignore[arg-type]  # one of them
