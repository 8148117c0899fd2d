"""From lark's parse tree to the syntax tree: expressions, and what all rules need."""

# ruff: noqa: D102 - a method of ExpressionBuilder makes what the grammar's rule of its name reads

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, Literal, TypeVar, cast

from lark import Token, Transformer, v_args
from lark.tree import Meta

from .. import syntax_tree as syntax
from ..literals import parse_double, parse_duration, parse_integer, unquote
from ..nodes import BinaryOperator
from ..source_text import SourceText, Span

T = TypeVar("T")


class Mark(Enum):
    """A word that is there or not."""

    DISTINCT = auto()
    RUNNING = auto()
    TILDE = auto()


# A rule's children: tokens, and what the rules below made of theirs.
Children = list[Any]

_LOCAL_ESCAPE = re.compile(r"\\(.)")


def span_of(token: Token) -> Span:
    """A token's place."""
    return Span(cast("int", token.start_pos), cast("int", token.end_pos))


def prefixed(text: str, span: Span) -> syntax.PrefixedName:
    """`prefix:local` with the escapes of its local part resolved."""
    prefix, _, local = text.partition(":")
    return syntax.PrefixedName(prefix, _LOCAL_ESCAPE.sub(r"\1", local), span=span)


def place(meta: Meta) -> Span:
    """The place of what a rule read."""
    return Span(meta.start_pos, meta.end_pos)


def first_of(kind: type[T], children: Children) -> T | None:
    """The first child of a kind, `None` when there is none."""
    return next((child for child in children if isinstance(child, kind)), None)


def all_of(kind: type[T], children: Children) -> tuple[T, ...]:
    """The children of a kind, in order."""
    return tuple(child for child in children if isinstance(child, kind))


def name_of(token: Token) -> syntax.Name:
    """A plain name."""
    return syntax.Name(str(token), span=span_of(token))


def variable_of(token: Token) -> syntax.Variable:
    """`?name` without its mark."""
    return syntax.Variable(token[1:], span=span_of(token))


@v_args(meta=True)
class ExpressionBuilder(Transformer[Token, Any]):
    """Makes expressions; its methods are named as the grammar's rules.

    Raises:
        VisitError: around the QuerySyntaxError of a literal that has no value.
    """

    def __init__(self, source: SourceText) -> None:
        super().__init__()
        self._source = source

    def _value(self, token: Token, parse: Callable[[str], T], what: str) -> T:
        try:
            return parse(str(token))
        except ValueError as error:
            shown = str(token) if token.type == "STRING" else f"'{token}'"
            raise self._source.syntax_error(span_of(token), f"{shown} is no {what}", str(error)) from error

    def _name(self, token: Token) -> syntax.Name | syntax.Reference:
        return name_of(token) if token.type == "NAME" else self._reference(token)

    def _reference(self, token: Token) -> syntax.Reference:
        if token.type == "IRI":
            return syntax.Iri(token[1:-1], span=span_of(token))
        return prefixed(str(token), span_of(token))

    def expr(self, _meta: Meta, children: Children) -> syntax.Expression:
        return _fold(children, "OR")

    def both(self, _meta: Meta, children: Children) -> syntax.Expression:
        return _fold(children, "AND")

    def comparison(self, _meta: Meta, children: Children) -> syntax.Expression:
        return _fold_infix(children)

    def membership(self, meta: Meta, children: Children) -> syntax.Expression:
        return syntax.InPredicate(children[0], children[1], negated=False, span=place(meta))

    def exclusion(self, meta: Meta, children: Children) -> syntax.Expression:
        return syntax.InPredicate(children[0], children[1], negated=True, span=place(meta))

    def options(self, _meta: Meta, children: Children) -> tuple[syntax.Expression, ...]:
        return tuple(children)

    def sum(self, _meta: Meta, children: Children) -> syntax.Expression:
        return _fold_infix(children)

    def product(self, _meta: Meta, children: Children) -> syntax.Expression:
        return _fold_infix(children)

    def negated(self, meta: Meta, children: Children) -> syntax.Expression:
        return syntax.UnaryExpression("NOT", children[0], span=place(meta))

    def signed(self, meta: Meta, children: Children) -> syntax.Expression:
        sign: Literal["-", "+"] = "-" if children[0] == "-" else "+"
        return syntax.UnaryExpression(sign, children[1], span=place(meta))

    def parenthesis(self, _meta: Meta, children: Children) -> syntax.Expression:
        return cast("syntax.Expression", children[0])

    def attribute(self, meta: Meta, children: Children) -> syntax.AttributeReference:
        return syntax.AttributeReference(variable_of(children[0]), self._name(children[1]), span=place(meta))

    def variable(self, _meta: Meta, children: Children) -> syntax.Variable:
        return variable_of(children[0])

    def number(self, meta: Meta, children: Children) -> syntax.NumberLiteral:
        token = children[0]
        if token.type == "INTEGER":
            return syntax.NumberLiteral(self._value(token, parse_integer, "integer"), span=place(meta))
        return syntax.NumberLiteral(self._value(token, parse_double, "double"), span=place(meta))

    def quantity(self, meta: Meta, children: Children) -> syntax.QuantityLiteral:
        return syntax.QuantityLiteral(children[0], children[1], span=place(meta))

    def string(self, meta: Meta, children: Children) -> syntax.StringLiteral:
        value = self._value(children[0], unquote, "string")
        language = next((str(c)[1:] for c in children[1:] if isinstance(c, Token)), None)
        datatype = next((c for c in children[1:] if not isinstance(c, Token)), None)
        return syntax.StringLiteral(value, datatype, language, span=place(meta))

    def boolean(self, meta: Meta, children: Children) -> syntax.BooleanLiteral:
        return syntax.BooleanLiteral(children[0].type == "TRUE", span=place(meta))

    def duration(self, _meta: Meta, children: Children) -> syntax.DurationLiteral:
        return self._duration(children[0])

    def _duration(self, token: Token) -> syntax.DurationLiteral:
        return syntax.DurationLiteral(self._value(token, parse_duration, "duration"), span=span_of(token))

    def reference(self, _meta: Meta, children: Children) -> syntax.Reference:
        return self._reference(children[0])

    def call(self, meta: Meta, children: Children) -> syntax.FunctionCall:
        name = next(c for c in children if isinstance(c, Token))
        before, after = children[: children.index(name)], children[children.index(name) + 1 :]
        arguments = tuple(c for c in after if c is not Mark.DISTINCT)
        function = syntax.Name(name.upper(), span=span_of(name))
        distinct, running = Mark.DISTINCT in after, Mark.RUNNING in before
        return syntax.FunctionCall(function, arguments, distinct, running, span=place(meta))

    def distinct(self, _meta: Meta, _children: Children) -> Mark:
        return Mark.DISTINCT

    def running(self, _meta: Meta, _children: Children) -> Mark:
        return Mark.RUNNING


def _between(left: syntax.Expression, right: syntax.Expression) -> Span:
    return Span(left.span.start, right.span.end)


def _fold(operands: Children, operator: Literal["OR", "AND"]) -> syntax.Expression:
    result = operands[0]
    for operand in operands[1:]:
        result = syntax.BinaryExpression(operator, result, operand, span=_between(result, operand))
    return cast("syntax.Expression", result)


def _fold_infix(children: Children) -> syntax.Expression:
    result = children[0]
    for operator, operand in zip(children[1::2], children[2::2], strict=True):
        symbol = cast("BinaryOperator", str(operator))
        result = syntax.BinaryExpression(symbol, result, operand, span=_between(result, operand))
    return cast("syntax.Expression", result)
