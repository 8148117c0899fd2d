"""From the expressions of the syntax tree to checked expressions: names looked up, types and units agreed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import assert_never, cast

from ...errors import QueryTypeError, did_you_mean
from .. import syntax_tree as syntax
from ..literals import CALENDAR
from ..name_lookup import Names
from ..nodes import (
    Aggregate,
    AggregateSignature,
    Binary,
    BinaryOperator,
    Binding,
    Call,
    Column,
    Constant,
    Expression,
    Membership,
    Signature,
    StreamType,
    Unary,
    UnitRule,
    ValueType,
    Wanted,
    aggregates_of,
    event_variables,
    wanted_by,
)
from ..source_text import Span, listed
from .constants import constant
from .type_rules import accepts, agreeing, arithmetic, common, spoken
from .unit_agreement import agree, convert


@dataclass(frozen=True, slots=True)
class Scope:
    """What expressions of one query may speak of.

    Attributes:
        names: prefixes, vocabulary and text.
        streams: the event variables, in order of FROM.
        bindings: the semantic variables; a name that several PATHs bind has several.
        used: the semantic variables that were looked up, in order of first use; grows as expressions are resolved.
    """

    names: Names
    streams: Mapping[str, StreamType]
    bindings: Mapping[str, Sequence[Binding]]
    used: dict[str, Binding] = field(default_factory=dict)

    def error(self, span: Span, message: str, hint: str) -> QueryTypeError:
        """An error at `span`."""
        return self.names.source.type_error(span, message, hint)

    def quote(self, span: Span) -> str:
        """What stands at `span`."""
        return self.names.source.quote(span)

    def stream(self, variable: syntax.Variable) -> StreamType:
        """The stream of an event variable.

        Raises:
            QueryTypeError: it is none.
        """
        if variable.name in self.streams:
            return self.streams[variable.name]
        name = f"?{variable.name}"
        if variable.name in self.bindings:
            raise self.error(variable.span, f"{name} is no event", "a PATH binds it; events come from FROM")
        hint = did_you_mean(name, [f"?{v}" for v in (*self.streams, *self.bindings)])
        raise self.error(variable.span, f"unknown variable {name}", hint or f"name its stream: FROM ({name}, …)")

    def variable(self, variable: syntax.Variable) -> Column | Binding:
        """A bare variable: an event's id, or a semantic variable.

        Raises:
            QueryTypeError: nothing binds it, or two PATHs do.
        """
        bound = self.bindings.get(variable.name, ())
        if variable.name in self.streams or not bound:
            self.stream(variable)
            return Column(variable.name, "_id", ValueType.IRI, variable.span)
        if len(bound) > 1:
            name = f"?{variable.name}"
            hint = f"rename one of them, say {name}2, and relate them: JOIN ({name} = {name}2)"
            raise self.error(variable.span, f"two PATHs bind {name}", hint)
        self.used.setdefault(bound[0].name, bound[0])
        return Binding(bound[0].variable, bound[0].name, bound[0].type, variable.span)


def resolve(scope: Scope, expression: syntax.Expression) -> Expression:
    """The checked form of an expression.

    Raises:
        QueryTypeError: an unknown name, or types or units that do not fit.
    """
    match expression:
        case syntax.Variable():
            return scope.variable(expression)
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
            return _call(scope, expression)
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


def check_length(scope: Scope, duration: timedelta, span: Span, what: str) -> None:
    """A stretch of time fits into the calendar.

    Raises:
        QueryTypeError: it does not; `what` it is.
    """
    if duration > CALENDAR:
        hint = f"{CALENDAR.days}d reach over all of its years, 1 to 9999"
        raise scope.error(span, f"{what} longer than the calendar", hint)


def condition(scope: Scope, expression: syntax.Expression) -> Expression:
    """An expression that has to be true or false.

    Raises:
        QueryTypeError: as `resolve`, or it is neither.
    """
    resolved = resolve(scope, expression)
    _demand(scope, resolved, "a boolean", "a condition is", "compare it with something, such as … > 0")
    return resolved


def _demand(scope: Scope, value: Expression, wanted: Wanted, whose: str, hint: str) -> None:
    if not accepts(wanted, value.type):
        raise scope.error(value.span, f"{whose} {wanted}, and this is {spoken(value.type)}", hint)


def _unary(scope: Scope, node: syntax.UnaryExpression) -> Expression:
    operand = resolve(scope, node.operand)
    if node.operator == "NOT":
        hint = "NOT binds tighter than a comparison; write NOT (…)"
        _demand(scope, operand, "a boolean", "NOT takes", hint)
        return Unary("NOT", operand, ValueType.BOOLEAN, node.span)
    if operand.type is not ValueType.DURATION:
        _demand(scope, operand, "a number", f"'{node.operator}' takes", "leave the sign out")
    if node.operator == "+":
        return operand
    if isinstance(operand, Constant) and isinstance(operand.value, int | float | timedelta):
        return Constant(-operand.value, operand.type, node.span, operand.unit)
    return Unary("-", operand, _number(operand.type), node.span)


def _number(type_: ValueType) -> ValueType:
    return ValueType.DOUBLE if type_ is ValueType.TERM else type_


def _logical(scope: Scope, node: syntax.BinaryExpression) -> Expression:
    left, right = resolve(scope, node.left), resolve(scope, node.right)
    for side in (left, right):
        hint = "compare it with something; for several values write `x IN (…)`"
        _demand(scope, side, "a boolean", f"{node.operator} takes", hint)
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


def _call(scope: Scope, node: syntax.FunctionCall) -> Expression:
    name, functions = node.function.text, scope.names.vocabulary.functions
    signature = functions.get(name)
    if isinstance(signature, AggregateSignature):
        return _aggregate(scope, node, signature)
    if node.running or node.distinct:
        word = "RUNNING" if node.running else "DISTINCT"
        raise scope.error(node.span, f"{word} does not go with {name}", f"{word} is for aggregates: {word} COUNT(…)")
    if signature is None:
        hint = did_you_mean(name, sorted(functions)) or f"the functions are {listed(sorted(functions), 'and')}"
        raise scope.error(node.function.span, f"unknown function '{scope.quote(node.function.span)}'", hint)
    return _scalar(scope, node, signature)


_HINTS: dict[Wanted, str] = {
    "a string": "STR(…) makes a string of it",
    "a boolean": "compare it with something, such as … > 0",
    "a unit": "write its name, such as unit:M3-PER-SEC",
}


def _scalar(scope: Scope, node: syntax.FunctionCall, signature: Signature) -> Expression:
    name, parameters = node.function.text, signature.parameters
    arguments = [resolve(scope, argument) for argument in node.arguments]
    _check_count(scope, node, len(parameters) - signature.optional, None if signature.repeated else len(parameters))
    for wanted, argument in zip(wanted_by(signature, len(arguments)), arguments, strict=True):
        if wanted == "an attribute" and not isinstance(argument, Column | Binding):
            raise scope.error(node.span, f"{name} takes an attribute", f"write {name} (?e.attribute)")
        _demand(scope, argument, wanted, f"{name} takes", _HINTS.get(wanted, f"{name} is for {wanted[2:]}s"))
    if signature.unit is UnitRule.NAMED:
        return convert(scope.names, arguments[0], arguments[1], node.span)
    places = agreeing(signature, len(arguments))
    type_ = _agreed(scope, node, arguments, places) if places else arguments[0].type
    fault = signature.check(arguments) if signature.check is not None else None
    if fault is not None:
        span = node.span if fault.argument is None else node.arguments[fault.argument].span
        raise scope.error(span, fault.message, fault.hint)
    return Call(name, tuple(arguments), signature.result or type_, node.span)


def _agreed(scope: Scope, node: syntax.FunctionCall, arguments: list[Expression], places: Sequence[int]) -> ValueType:
    """The type to which the arguments at some places can be brought; they are, and to one unit."""
    first, *others = places
    type_ = arguments[first].type
    for place in others:
        argument = arguments[place]
        both = common(type_, argument.type)
        if both is None:
            message = f"{node.function.text} cannot give {spoken(type_)} or {spoken(argument.type)}"
            raise scope.error(argument.span, message, "its values have to be of one type")
        arguments[first], arguments[place] = agree(scope.names, arguments[first], argument, node.span)
        type_ = both if arguments[place] is argument else ValueType.DOUBLE
    return type_


def _check_count(scope: Scope, node: syntax.FunctionCall, least: int, most: int | None) -> None:
    count = len(node.arguments)
    if count < least or (most is not None and count > most):
        wanted = f"{least} or more" if most is None else str(least) if least == most else f"{least} or {most}"
        message = f"{node.function.text} takes {wanted} argument{'' if wanted == '1' else 's'}, and this has {count}"
        raise scope.error(node.span, message, "see the functions in the language reference")


def _aggregate(scope: Scope, node: syntax.FunctionCall, signature: AggregateSignature) -> Expression:
    name = node.function.text
    needed = [parameter for parameter in signature.parameters if parameter.default is None]
    _check_count(scope, node, 1 + len(needed), 1 + len(signature.parameters))
    if node.distinct and not signature.distinct:
        raise scope.error(node.span, f"DISTINCT does not go with {name}", "it is for COUNT (DISTINCT …)")
    argument = resolve(scope, node.arguments[0])
    if aggregates_of(argument):
        raise scope.error(
            node.span, "an aggregate of an aggregate", "name the inner one in a query of its own: CREATE QUERY"
        )
    variables = event_variables(argument)
    if len(variables) != 1:
        message = f"{name} aggregates one variable, and this names {len(variables) or 'none'}"
        raise scope.error(node.arguments[0].span, message, f"write {name} (?e.attribute)")
    _demand(
        scope, argument, signature.argument, f"{name} takes", f"{listed(_takers_of_any(scope), 'and')} take any value"
    )
    events = signature.of_events and isinstance(argument, Column) and argument.name == "_id"
    type_ = signature.result or (_number(argument.type) if signature.argument == "a number" else argument.type)
    parameters = _parameters(scope, node, signature)
    kept = None if events else argument
    return Aggregate(name, variables[0], kept, type_, node.span, node.distinct, node.running, parameters)


def _takers_of_any(scope: Scope) -> list[str]:
    """The aggregates that take any value and give one."""
    functions = scope.names.vocabulary.functions.items()
    aggregates = [(name, f) for name, f in functions if isinstance(f, AggregateSignature)]
    return [name for name, f in aggregates if f.argument == "a value" and not f.several]


def _parameters(scope: Scope, node: syntax.FunctionCall, signature: AggregateSignature) -> tuple[int | float, ...]:
    """The numbers behind the argument of an aggregate; those that say what holds anyway are left out."""
    found: list[int | float] = []
    for written, parameter in zip(node.arguments[1:], signature.parameters, strict=False):
        match resolve(scope, written):
            case Constant(value=int() | float() as number, unit=None) if not isinstance(
                number, bool
            ) and parameter.accepts(number):
                found.append(number)
            case _:
                raise scope.error(written.span, parameter.message, parameter.hint)
    while found and found[-1] == signature.parameters[len(found) - 1].default:
        found.pop()
    return tuple(found)
