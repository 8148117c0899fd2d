"""Walks over checked expressions and patterns, and what they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from datetime import timedelta
from typing import assert_never

from .expression import Aggregate, Binary, Binding, Call, Column, Constant, Expression, Membership, Unary
from .integer_width import companion_of
from .pattern import (
    Alternative,
    Conjunction,
    CorrelationWindow,
    Element,
    Group,
    Link,
    Negation,
    Pattern,
    Quantifier,
    Sequence,
    SlidingWindow,
    Timer,
    Window,
)


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions right below one, in order."""
    match expression:
        case Constant() | Column() | Binding():
            return ()
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Membership(operand=operand, options=options):
            return (operand, *options)
        case Call(arguments=arguments):
            return arguments
        case Aggregate(argument=argument):
            return () if argument is None else (argument,)
        case _:
            assert_never(expression)


def with_operands(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """An expression whose operands are changed; what IN compares with, and what an aggregate is of, stay."""
    match expression:
        case Constant() | Column() | Binding() | Aggregate():
            return expression
        case Unary(operand=operand) | Membership(operand=operand):
            return replace(expression, operand=change(operand))
        case Binary(left=left, right=right):
            return replace(expression, left=change(left), right=change(right))
        case Call(arguments=arguments):
            return replace(expression, arguments=tuple(change(argument) for argument in arguments))
        case _:
            assert_never(expression)


def walk(expression: Expression) -> Iterator[Expression]:
    """An expression and all below it, outermost first."""
    yield expression
    for operand in operands(expression):
        yield from walk(operand)


def event_variables(expression: Expression) -> tuple[str, ...]:
    """The event variables that an expression mentions, in order; semantic variables count as their event's."""
    found = [n.variable for n in walk(expression) if isinstance(n, Column | Binding | Aggregate)]
    return tuple(dict.fromkeys(found))


def variables_of(expression: Expression) -> frozenset[str]:
    """The event variables that an expression mentions."""
    return frozenset(event_variables(expression))


def aggregates_of(expression: Expression) -> tuple[Aggregate, ...]:
    """The aggregates in an expression; they do not nest."""
    return tuple(node for node in walk(expression) if isinstance(node, Aggregate))


def columns_of(expression: Expression) -> tuple[Column | Binding, ...]:
    """The columns and semantic variables that an expression mentions, also inside aggregates.

    With a column whose integers may have left 64 bits comes, before it, the one of the doubles.
    """
    found: list[Column | Binding] = []
    for node in walk(expression):
        if isinstance(node, Column | Binding) and node.wide:
            found.append(companion_of(node))
        if isinstance(node, Column | Binding):
            found.append(node)
    return tuple(found)


def plain_columns(expression: Expression) -> Iterator[Column | Binding]:
    """Columns and semantic variables outside aggregates."""
    if isinstance(expression, Column | Binding):
        yield expression
    elif not isinstance(expression, Aggregate):
        for operand in operands(expression):
            yield from plain_columns(operand)


def bindings_of(expression: Expression) -> tuple[Binding, ...]:
    """The semantic variables that an expression mentions outside aggregates."""
    return tuple(node for node in plain_columns(expression) if isinstance(node, Binding))


def uses_bindings(expression: Expression) -> bool:
    """Whether an expression mentions semantic variables."""
    return any(isinstance(node, Binding) for node in walk(expression))


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """An expression cut at its outermost ANDs: it is true exactly when all of them are."""
    if isinstance(expression, Binary) and expression.operator == "AND":
        return conjuncts(expression.left) + conjuncts(expression.right)
    return (expression,)


def structural_key(expression: Expression) -> tuple[object, ...]:
    """What an expression says wherever it stands: equal for expressions that differ in their places alone."""
    values = (getattr(expression, field.name) for field in fields(expression) if field.name != "span")
    return (type(expression).__name__, *(_key_of(value) for value in values))


def _key_of(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(_key_of(part) for part in value)
    return structural_key(value) if isinstance(value, Expression) else (type(value).__name__, value)


def subpatterns(pattern: Pattern) -> tuple[Pattern, ...]:
    """The patterns right below one, in order."""
    match pattern:
        case Element() | Negation() | Timer():
            return ()
        case Group(pattern=inner):
            return (inner,)
        case Conjunction(parts=parts) | Sequence(parts=parts):
            return parts
        case Alternative(branches=branches):
            return branches
        case _:
            assert_never(pattern)


def walk_pattern(pattern: Pattern) -> Iterator[Pattern]:
    """A pattern and all below it, outermost first."""
    yield pattern
    for part in subpatterns(pattern):
        yield from walk_pattern(part)


def quantified_parts(pattern: Pattern | None) -> Iterator[tuple[Element | Group, Quantifier]]:
    """What is quantified in a pattern, outermost first, each with its quantifier."""
    for part in () if pattern is None else walk_pattern(pattern):
        match part:
            case Element(quantifier=Quantifier() as quantifier) | Group(quantifier=quantifier):
                yield part, quantifier
            case Element() | Negation() | Timer() | Conjunction() | Alternative() | Sequence():
                pass
            case _:
                assert_never(part)


def untils(pattern: Pattern | None) -> tuple[Expression, ...]:
    """The conditions of UNTIL in a pattern."""
    return tuple(q.until for _, q in quantified_parts(pattern) if q.until is not None)


def negated_variables(pattern: Pattern | None) -> frozenset[str]:
    """The variables under NOT, and that of EVERY … UNTIL: they bind nothing."""
    parts = () if pattern is None else walk_pattern(pattern)
    named = (p.variable if isinstance(p, Negation) else p.until for p in parts if isinstance(p, Negation | Timer))
    return frozenset(variable for variable in named if variable is not None)


def unnamed_variables(variables: Iterable[str], pattern: Pattern | None) -> list[str]:
    """Those of some variables that SEQ does not name: only JOINs tie their events to others."""
    parts = () if pattern is None else walk_pattern(pattern)
    named = {part.variable for part in parts if isinstance(part, Element)} | negated_variables(pattern)
    return [variable for variable in variables if variable not in named]


def ends_with_timer(pattern: Pattern | None) -> bool:
    """Whether a match becomes true at the moment of a timer, which tells it from others of the same events."""
    return isinstance(pattern, Sequence) and isinstance(pattern.parts[-1], Timer)


def is_plain_sequence(pattern: Pattern | None) -> bool:
    """Whether a pattern names single events that come one after the other, with anything between them."""
    match pattern:
        case None | Element(quantifier=None):
            return True
        case Sequence(parts=parts, links=links):
            single = all(isinstance(part, Element) and part.quantifier is None for part in parts)
            return single and set(links) <= {Link.ANY}
        case _:
            return False


def may_be_empty(pattern: Pattern) -> bool:
    """Whether a match may have no event of a pattern."""
    match pattern:
        case Negation() | Timer():
            return True
        case Element(quantifier=quantifier):
            return quantifier is not None and not quantifier.minimum
        case Group(pattern=inner, quantifier=quantifier):
            return not quantifier.minimum or may_be_empty(inner)
        case Alternative(branches=branches):
            return any(map(may_be_empty, branches))
        case Conjunction(parts=parts) | Sequence(parts=parts):
            return all(map(may_be_empty, parts))
        case _:
            assert_never(pattern)


def quantified_variables(pattern: Pattern | None) -> dict[str, bool]:
    """Which variables are quantified, by themselves or by a group: name → whether they may bind several events."""
    found: dict[str, bool] = {}
    for part, quantifier in quantified_parts(pattern):
        for inner in walk_pattern(part):
            if isinstance(inner, Element):
                found[inner.variable] = found.get(inner.variable, False) or quantifier.maximum != 1
    return found


def surely_bound(pattern: Pattern | None) -> frozenset[str]:
    """The variables of a pattern to which every match binds an event."""
    match pattern:
        case None | Negation() | Timer() | Alternative():
            return frozenset()
        case Element(variable=variable, quantifier=quantifier):
            return frozenset() if quantifier is not None and not quantifier.minimum else frozenset({variable})
        case Group(pattern=inner, quantifier=quantifier):
            return surely_bound(inner) if quantifier.minimum else frozenset()
        case Conjunction(parts=parts) | Sequence(parts=parts):
            return frozenset().union(*map(surely_bound, parts))
        case _:
            assert_never(pattern)


def window_variables(window: Window) -> tuple[str, ...]:
    """The variables that a window names."""
    return window.variables if isinstance(window, CorrelationWindow) else (window.variable,)


def slides_by_time(window: Window) -> bool:
    """Whether a window slides over a duration, in each group by itself."""
    return isinstance(window, SlidingWindow) and isinstance(window.extent, timedelta) and not window.shared
