"""Walks over checked expressions and patterns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from .expression import Aggregate, Binary, Binding, Call, Column, Constant, Expression, Membership, Unary
from .pattern import Alternative, Conjunction, Element, Group, Negation, Pattern, Sequence


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


def walk(expression: Expression) -> Iterator[Expression]:
    """An expression and all below it, outermost first."""
    yield expression
    for operand in operands(expression):
        yield from walk(operand)


def event_variables(expression: Expression) -> tuple[str, ...]:
    """The event variables that an expression mentions, semantic variables counted as their event's."""
    found = [n.variable for n in walk(expression) if isinstance(n, Column | Binding | Aggregate)]
    return tuple(dict.fromkeys(found))


def aggregates(expression: Expression) -> tuple[Aggregate, ...]:
    """The aggregates in an expression."""
    return tuple(node for node in walk(expression) if isinstance(node, Aggregate))


def plain_columns(expression: Expression) -> Iterator[Column | Binding]:
    """Columns and bindings that stand outside aggregates."""
    if isinstance(expression, Column | Binding):
        yield expression
    elif not isinstance(expression, Aggregate):
        for operand in operands(expression):
            yield from plain_columns(operand)


def uses_bindings(expression: Expression) -> bool:
    """Whether an expression mentions semantic variables."""
    return any(isinstance(node, Binding) for node in walk(expression))


def subpatterns(pattern: Pattern) -> tuple[Pattern, ...]:
    """The patterns right below one, in order."""
    match pattern:
        case Element() | Negation():
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
