"""Calls of functions and aggregates: their arguments counted, their types and units agreed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ....errors import did_you_mean
from ... import syntax_tree as syntax
from ...nodes import (
    Aggregate,
    AggregateSignature,
    Binding,
    Call,
    ChangeSignature,
    Column,
    Constant,
    Expression,
    Intrinsic,
    Signature,
    UnitRule,
    ValueType,
    Wanted,
    aggregates_of,
    event_variables,
    wanted_by,
)
from ...source_text import listed
from .changes_of_values import OLD, resolve_change
from .scope import Scope, demand
from .type_rules import agreeing, as_number, common, spoken
from .unit_agreement import agree, convert

Resolve = Callable[[syntax.Expression], Expression]
"""Gives the checked form of an expression."""


def resolve_call(scope: Scope, node: syntax.FunctionCall, resolve: Resolve) -> Expression:
    """The checked form of a call.

    Args:
        scope: of the query.
        node: the call.
        resolve: gives the checked form of an argument.

    Raises:
        QueryTypeError: an unknown function, or arguments that do not fit.
    """
    name, functions = node.function.text, scope.names.vocabulary.functions
    signature = functions.get(name)
    if isinstance(signature, AggregateSignature):
        return _aggregate(scope, node, signature, resolve)
    if isinstance(signature, ChangeSignature):
        return resolve_change(scope, node, signature, resolve)
    if node.running or node.distinct:
        word = "RUNNING" if node.running else "DISTINCT"
        raise scope.error(node.span, f"{word} does not go with {name}", f"{word} is for aggregates: {word} COUNT(…)")
    if signature is None:
        hint = did_you_mean(name, sorted(functions)) or f"the functions are {listed(sorted(functions), 'and')}"
        raise scope.error(node.function.span, f"unknown function '{scope.quote(node.function.span)}'", hint)
    checked = _scalar(scope, node, signature, resolve)
    older = functions.get(OLD)
    if _is_consecutive(scope, node) and isinstance(older, AggregateSignature):
        return _aggregate(scope, replace(node, function=replace(node.function, text=OLD)), older, resolve)
    return checked


def _is_consecutive(scope: Scope, node: syntax.FunctionCall) -> bool:
    """Whether a call is of PREV where no event is repeated: it is the older of two consecutive candidates."""
    return scope.consecutive and node.function.text == Intrinsic.PREV


def is_aggregate(scope: Scope, node: syntax.FunctionCall) -> bool:
    """Whether a call is of an aggregate, or of what is written with aggregates."""
    if _is_consecutive(scope, node):
        return True
    found = scope.names.vocabulary.functions.get(node.function.text)
    return isinstance(found, AggregateSignature | ChangeSignature)


_HINTS: dict[Wanted, str] = {
    "a string": "STR(…) makes a string of it",
    "a boolean": "compare it with something, such as … > 0",
    "a unit": "write its name, such as unit:M3-PER-SEC",
}


def _scalar(scope: Scope, node: syntax.FunctionCall, signature: Signature, resolve: Resolve) -> Expression:
    name, parameters = node.function.text, signature.parameters
    arguments = [resolve(argument) for argument in node.arguments]
    _check_count(scope, node, len(parameters) - signature.optional, None if signature.repeated else len(parameters))
    for wanted, argument in zip(wanted_by(signature, len(arguments)), arguments, strict=True):
        if wanted == "an attribute" and not isinstance(argument, Column | Binding):
            raise scope.error(node.span, f"{name} takes an attribute", f"write {name} (?e.attribute)")
        demand(scope, argument, wanted, f"{name} takes", _HINTS.get(wanted, f"{name} is for {wanted[2:]}s"))
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


def _aggregate(scope: Scope, node: syntax.FunctionCall, signature: AggregateSignature, resolve: Resolve) -> Expression:
    name = node.function.text
    needed = [parameter for parameter in signature.parameters if parameter.default is None]
    _check_count(scope, node, 1 + len(needed), 1 + len(signature.parameters))
    if node.distinct and not signature.distinct:
        raise scope.error(node.span, f"DISTINCT does not go with {name}", "it is for COUNT (DISTINCT …)")
    argument = resolve(node.arguments[0])
    inner = aggregates_of(argument)
    if inner and (name != OLD or any(each.function == OLD for each in inner)):
        raise scope.error(
            node.span, "an aggregate of an aggregate", "name the inner one in a query of its own: CREATE QUERY"
        )
    variables = event_variables(argument)
    if len(variables) != 1:
        message = f"{name} aggregates one variable, and this names {len(variables) or 'none'}"
        raise scope.error(node.arguments[0].span, message, f"write {name} (?e.attribute)")
    demand(
        scope, argument, signature.argument, f"{name} takes", f"{listed(_takers_of_any(scope), 'and')} take any value"
    )
    events = signature.of_events and isinstance(argument, Column) and argument.name == "_id"
    type_ = signature.result or (as_number(argument.type) if signature.argument == "a number" else argument.type)
    parameters = _parameters(scope, node, signature, resolve)
    kept = None if events else argument
    return Aggregate(name, variables[0], kept, type_, node.span, node.distinct, node.running, parameters)


def _takers_of_any(scope: Scope) -> list[str]:
    """The aggregates that take any value and give one."""
    functions = scope.names.vocabulary.functions.items()
    aggregates = [(name, f) for name, f in functions if isinstance(f, AggregateSignature)]
    return [name for name, f in aggregates if f.argument == "a value" and not f.several]


def _parameters(
    scope: Scope, node: syntax.FunctionCall, signature: AggregateSignature, resolve: Resolve
) -> tuple[int | float, ...]:
    """The numbers behind the argument of an aggregate; those that say what holds anyway are left out."""
    found: list[int | float] = []
    for written, parameter in zip(node.arguments[1:], signature.parameters, strict=False):
        match resolve(written):
            case Constant(value=int() | float() as number, unit=None) if not isinstance(
                number, bool
            ) and parameter.accepts(number):
                found.append(number)
            case _:
                raise scope.error(written.span, parameter.message, parameter.hint)
    while found and found[-1] == signature.parameters[len(found) - 1].default:
        found.pop()
    return tuple(found)
