"""From the expressions of the syntax tree to checked expressions: names looked up, types and units agreed."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import assert_never, cast

from ... import syntax_tree as syntax
from ...nodes import (
    Binary,
    BinaryOperator,
    Constant,
    Expression,
    Membership,
    Unary,
    ValueType,
)
from ...source_text import Span
from .constants import constant
from .function_calls import is_aggregate, resolve_call
from .scope import Scope, demand
from .type_rules import arithmetic, as_number, common, spoken
from .unit_agreement import agree
from .window_attributes import beside, each_event, window_attribute


def resolve(scope: Scope, expression: syntax.Expression) -> Expression:
    """The checked form of an expression.

    Raises:
        QueryTypeError: an unknown name, or types or units that do not fit.
    """
    match expression:
        case syntax.Variable():
            return scope.variable(expression)
        case syntax.AttributeReference(variable=variable) if variable.name in scope.windows:
            return window_attribute(scope, expression)
        case syntax.AttributeReference(variable=variable, name=name):
            return scope.names.column(variable.name, scope.stream(variable), name, expression.span)
        case syntax.UnaryExpression():
            return _unary(scope, expression)
        case syntax.BinaryExpression(operator="OR" | "AND"):
            return _logical(scope, expression)
        case syntax.BinaryExpression(operator="+" | "-" | "*" | "/" | "%"):
            return _arithmetic(scope, expression)
        case syntax.BinaryExpression():
            return _comparison(scope, expression)
        case syntax.InPredicate():
            return _membership(scope, expression)
        case syntax.FunctionCall():
            inner = beside(each_event(scope), expression) if is_aggregate(scope, expression) else scope
            return resolve_call(scope, expression, partial(resolve, inner))
        case (
            syntax.NumberLiteral()
            | syntax.StringLiteral()
            | syntax.BooleanLiteral()
            | syntax.DurationLiteral()
            | syntax.QuantityLiteral()
            | syntax.PrefixedName()
            | syntax.Iri()
        ):
            return constant(scope.names, expression)
        case _:
            assert_never(expression)


def condition(scope: Scope, expression: syntax.Expression) -> Expression:
    """An expression that has to be true or false.

    Raises:
        QueryTypeError: as `resolve`, or it is neither.
    """
    resolved = resolve(scope, expression)
    demand(scope, resolved, "a boolean", "a condition is", "compare it with something, such as … > 0")
    return resolved


def _unary(scope: Scope, node: syntax.UnaryExpression) -> Expression:
    operand = resolve(scope, node.operand)
    if node.operator == "NOT":
        hint = "NOT binds tighter than a comparison; write NOT (…)"
        demand(scope, operand, "a boolean", "NOT takes", hint)
        return Unary("NOT", operand, ValueType.BOOLEAN, node.span)
    if operand.type is not ValueType.DURATION:
        demand(scope, operand, "a number", f"'{node.operator}' takes", "leave the sign out")
    if node.operator == "+":
        return operand
    if isinstance(operand, Constant) and isinstance(operand.value, int | float | timedelta):
        return Constant(-operand.value, operand.type, node.span, operand.unit)
    return Unary("-", operand, as_number(operand.type), node.span)


def _logical(scope: Scope, node: syntax.BinaryExpression) -> Expression:
    left, right = resolve(scope, node.left), resolve(scope, node.right)
    for side in (left, right):
        hint = "compare it with something; for several values write `x IN (…)`"
        demand(scope, side, "a boolean", f"{node.operator} takes", hint)
    return Binary(node.operator, left, right, ValueType.BOOLEAN, node.span)


def _arithmetic(scope: Scope, node: syntax.BinaryExpression) -> Expression:
    left, right = resolve(scope, node.left), resolve(scope, node.right)
    type_ = arithmetic(left.type, node.operator, right.type)
    if type_ is None:
        message = f"'{node.operator}' cannot be applied to {spoken(left.type)} and {spoken(right.type)}"
        raise scope.error(node.span, message, "arithmetic is for numbers, and for dateTimes with durations")
    if node.operator in ("+", "-") and type_.numeric:
        left, right = agree(scope.names, left, right, node.span, step=True)
        type_ = arithmetic(left.type, node.operator, right.type) or type_
    return Binary(node.operator, left, right, type_, node.span)


def _comparison(scope: Scope, node: syntax.BinaryExpression) -> Expression:
    left, right = resolve(scope, node.left), resolve(scope, node.right)
    left, right = _comparable(scope, left, right, node.operator, node.span)
    return Binary(node.operator, left, right, ValueType.BOOLEAN, node.span)


def _comparable(
    scope: Scope, left: Expression, right: Expression, operator: BinaryOperator, span: Span
) -> tuple[Expression, Expression]:
    """Both sides of a comparison, in one unit."""
    type_ = common(left.type, right.type)
    if type_ is None:
        message = f"cannot compare {spoken(left.type)} with {spoken(right.type)}"
        raise scope.error(span, message, _comparison_hint(scope, left, right))
    if type_ is ValueType.IRI and operator not in ("=", "!="):
        raise scope.error(span, f"IRIs have no order for '{operator}'", "compare them with = or !=, or STR(…) of both")
    return agree(scope.names, left, right, span)


def _comparison_hint(scope: Scope, left: Expression, right: Expression) -> str:
    other, constant = (right, left) if isinstance(left, Constant) else (left, right)
    kinds = {left.type, right.type}
    written = scope.quote(other.span)
    if isinstance(constant, Constant):
        if other.type is ValueType.STRING and constant.type.numeric:
            return f"{written} is a string: write '{scope.quote(constant.span)}' in quotes"
        if other.type.numeric and constant.type is ValueType.STRING:
            return f"{written} is {spoken(other.type)}: write the number without quotes"
    if ValueType.DATETIME in kinds:
        return 'a moment is written "2012-05-07T09:00:00Z"^^xsd:dateTime'
    if kinds == {ValueType.IRI, ValueType.STRING}:
        return "an IRI is written <…> or prefix:name; STR(…) makes it a string"
    return "both sides have to be of one type"


def _membership(scope: Scope, node: syntax.InPredicate) -> Expression:
    operand = resolve(scope, node.operand)
    given = [cast("Constant", resolve(scope, option)) for option in node.options]
    options = tuple(cast("Constant", _comparable(scope, operand, option, "=", option.span)[1]) for option in given)
    member = Membership(operand, options, ValueType.BOOLEAN, node.span)
    return Unary("NOT", member, ValueType.BOOLEAN, node.span) if node.negated else member
