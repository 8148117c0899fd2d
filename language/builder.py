"""From lark's parse tree to the syntax tree."""

# ruff: noqa: D102 - a method of Builder makes what the grammar's rule of its name reads

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar, cast

from lark import Token, Transformer, v_args
from lark.tree import Meta

from . import syntax
from .expressions import BinaryOperator, Span
from .literals import parse_double, parse_duration, parse_integer, parse_moment, unquote
from .query import AfterMatchKind, Policy
from .text import SourceText

T = TypeVar("T")
# A rule's children: tokens, and what the rules below made of theirs.
Children = list[Any]

_LOCAL_ESCAPE = re.compile(r"\\(.)")
_COUNTS = {"+": (1, None), "*": (0, None), "?": (0, 1)}


def span_of(token: Token) -> Span:
    """A token's place."""
    return Span(cast("int", token.start_pos), cast("int", token.end_pos))


def prefixed(text: str, span: Span) -> syntax.Prefixed:
    """`prefix:local` with the escapes of its local part resolved."""
    prefix, _, local = text.partition(":")
    return syntax.Prefixed(prefix, _LOCAL_ESCAPE.sub(r"\1", local), span)


def _span(meta: Meta) -> Span:
    return Span(meta.start_pos, meta.end_pos)


def _of(kind: type[T], children: Children) -> T | None:
    return next((child for child in children if isinstance(child, kind)), None)


def _all(kind: type[T], children: Children) -> tuple[T, ...]:
    return tuple(child for child in children if isinstance(child, kind))


def _variable(token: Token) -> syntax.Variable:
    return syntax.Variable(token[1:], span_of(token))


class _Clauses(list[Any]):
    """The clauses of WHERE."""


class _Items(list[Any]):
    """The items of SELECT."""


class _Sources(list[Any]):
    """The sources of FROM."""


class _Partition(list[Any]):
    """The names of PARTITION BY."""


class _Groups(list[Any]):
    """The expressions of GROUP BY."""


class _Having(list[Any]):
    """The condition of HAVING."""


@v_args(meta=True)
class Builder(Transformer[Token, Any]):
    """Makes `syntax` nodes; its methods are named as the grammar's rules.

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

    def start(self, _meta: Meta, children: Children) -> tuple[syntax.Prefix | syntax.Statement, ...]:
        return tuple(children)

    def prefix(self, meta: Meta, children: Children) -> syntax.Prefix:
        return syntax.Prefix(children[0][:-1], children[1][1:-1], _span(meta))

    def statement(self, meta: Meta, children: Children) -> syntax.Statement:
        name = syntax.Name(str(children[0]), span_of(children[0])) if len(children) > 1 else None
        return syntax.Statement(name, children[-1], _span(meta))

    def query(self, meta: Meta, children: Children) -> syntax.Query:
        clauses: Children = _of(_Clauses, children) or []
        conditions = _all(tuple, clauses)
        having = _of(_Having, children)
        return syntax.Query(
            items=tuple(_of(_Items, children) or ()),
            distinct=_of(Span, children),
            sources=tuple(_of(_Sources, children) or ()),
            bounds=_of(syntax.Bounds, children),
            paths=tuple(c for c in clauses if isinstance(c, syntax.Path | syntax.PathAnd | syntax.PathOr)),
            filters=tuple(condition for kind, condition in conditions if kind == "FILTER"),
            joins=tuple(condition for kind, condition in conditions if kind == "JOIN"),
            sequences=_all(syntax.SequenceClause, clauses),
            windows=_all(syntax.Window, clauses),
            partition_by=tuple(_of(_Partition, children) or ()),
            group_by=tuple(_of(_Groups, children) or ()),
            having=having[0] if having else None,
            policy=_of(syntax.PolicyClause, children),
            after_match=_of(syntax.AfterMatch, children),
            limit=_of(syntax.Limit, children),
            output=_of(syntax.Output, children),
            span=_span(meta),
        )

    def distinct(self, meta: Meta, _children: Children) -> Span:
        return _span(meta)

    def items(self, _meta: Meta, children: Children) -> _Items:
        return _Items(children)

    def item(self, meta: Meta, children: Children) -> syntax.Item:
        name = syntax.Name(str(children[1]), span_of(children[1])) if len(children) > 1 else None
        return syntax.Item(children[0], name, _span(meta))

    def star(self, meta: Meta, children: Children) -> syntax.Star:
        return syntax.Star(_variable(children[0]), _span(meta))

    def sources(self, _meta: Meta, children: Children) -> _Sources:
        return _Sources(children)

    def source(self, meta: Meta, children: Children) -> syntax.Source:
        stream = syntax.Name(str(children[1]), span_of(children[1]))
        return syntax.Source(_variable(children[0]), stream, _span(meta))

    def within(self, meta: Meta, children: Children) -> syntax.Bounds:
        comma = next(i for i, child in enumerate(children) if isinstance(child, Token) and child.type == "COMMA")
        lower, upper = _of(syntax.Instant, children[:comma]), _of(syntax.Instant, children[comma:])
        return syntax.Bounds(lower, children[0] == "(", upper, children[-1] == ")", _span(meta))

    def instant(self, meta: Meta, children: Children) -> syntax.Instant:
        if not children:
            return syntax.Instant(None, timedelta(0), _span(meta))
        offset = self._value(children[1], parse_duration, "duration")
        return syntax.Instant(None, -offset if children[0] == "-" else offset, _span(meta))

    def moment(self, meta: Meta, children: Children) -> syntax.Instant:
        return syntax.Instant(self._value(children[0], parse_moment, "moment"), timedelta(0), _span(meta))

    def where(self, _meta: Meta, children: Children) -> _Clauses:
        return _Clauses(children)

    def path(self, meta: Meta, children: Children) -> syntax.PathOr:
        return syntax.PathOr(tuple(children), _span(meta))

    def path_and(self, meta: Meta, children: Children) -> syntax.PathAnd:
        return syntax.PathAnd(tuple(children), _span(meta))

    def path_leaf(self, meta: Meta, children: Children) -> syntax.Path:
        body = span_of(children[0])
        return syntax.Path(Span(body.start + 1, body.end - 1), _span(meta))

    def filter(self, meta: Meta, children: Children) -> tuple[str, syntax.Condition]:
        return "FILTER", syntax.Condition(children[0], _span(meta))

    def join(self, meta: Meta, children: Children) -> tuple[str, syntax.Condition]:
        return "JOIN", syntax.Condition(children[0], _span(meta))

    def seq(self, meta: Meta, children: Children) -> syntax.SequenceClause:
        return syntax.SequenceClause(children[0], _span(meta))

    def pattern(self, meta: Meta, children: Children) -> syntax.Sequence:
        return syntax.Sequence(tuple(children[::2]), tuple(children[1::2]), _span(meta))

    def alternative(self, meta: Meta, children: Children) -> syntax.Alternative:
        return syntax.Alternative(tuple(children), _span(meta))

    def conjunction(self, meta: Meta, children: Children) -> syntax.Conjunction:
        return syntax.Conjunction(tuple(children), _span(meta))

    def element(self, meta: Meta, children: Children) -> syntax.Element:
        return syntax.Element(_variable(children[0]), _of(syntax.Quantifier, children), _span(meta))

    def negation(self, meta: Meta, children: Children) -> syntax.Negation:
        duration = self.duration(meta, children[1:]) if len(children) > 1 else None
        return syntax.Negation(_variable(children[0]), duration, _span(meta))

    def group(self, meta: Meta, children: Children) -> syntax.Pattern:
        if len(children) == 1:
            return cast("syntax.Pattern", children[0])
        return syntax.Group(children[0], children[1], _span(meta))

    def link(self, _meta: Meta, children: Children) -> str:
        return str(children[0])

    def quantifier(self, meta: Meta, children: Children) -> syntax.Quantifier:
        minimum, maximum, link = self._repetition(children[0])
        every_length = any(child is Ellipsis for child in children)
        until = _of(_Having, children)
        return syntax.Quantifier(minimum, maximum, link, every_length, until[0] if until else None, _span(meta))

    @staticmethod
    def _repetition(first: Any) -> tuple[int, int | None, syntax.LinkText]:
        if isinstance(first, Token):
            return (*_COUNTS[first], ",")
        return cast("tuple[int, int | None, syntax.LinkText]", first)

    def braces(self, meta: Meta, children: Children) -> tuple[int, int | None, str]:
        link = next((str(c) for c in children if not isinstance(c, Token)), ",")
        tokens = [c for c in children[1:] if isinstance(c, Token)]
        counts = [self._value(t, parse_integer, "count") if t.type == "INTEGER" else None for t in tokens]
        match counts:
            case [int(both)]:
                return both, both, link
            case [int(minimum), None]:
                return minimum, None, link
            case [None, int(maximum)]:
                return 0, maximum, link
            case [int(minimum), None, int(maximum)]:
                return minimum, maximum, link
        raise self._source.syntax_error(_span(meta), "how often is not said", "write {2}, {2,}, {,5} or {2,5}")

    def tilde(self, _meta: Meta, _children: Children) -> object:
        return Ellipsis

    def until(self, _meta: Meta, children: Children) -> _Having:
        return _Having(children)

    def correlation(self, meta: Meta, children: Children) -> syntax.Window:
        return self._window("correlation", meta, children)

    def sliding(self, meta: Meta, children: Children) -> syntax.Window:
        return self._window("sliding", meta, children)

    def batch(self, meta: Meta, children: Children) -> syntax.Window:
        return self._window("batch", meta, children)

    def hopping(self, meta: Meta, children: Children) -> syntax.Window:
        return self._window("hopping", meta, children)

    def cumulate(self, meta: Meta, children: Children) -> syntax.Window:
        return self._window("cumulate", meta, children)

    def session(self, meta: Meta, children: Children) -> syntax.Window:
        return self._window("session", meta, children)

    def _window(self, mode: Any, meta: Meta, children: Children) -> syntax.Window:
        variables = tuple(_variable(c) for c in children if isinstance(c, Token) and c.type == "VAR")
        durations = [c for c in children if isinstance(c, Token) and c.type == "DURATION"]
        extents = _all(syntax.Extent, children) or tuple(self._duration_extent(d) for d in durations)
        start = next((c for c in children if isinstance(c, str | datetime) and not isinstance(c, Token)), None)
        return syntax.Window(mode, variables, extents, cast("Literal['first'] | datetime | None", start), _span(meta))

    def _duration_extent(self, token: Token) -> syntax.Extent:
        return syntax.Extent(self._value(token, parse_duration, "duration"), span_of(token))

    def extent(self, meta: Meta, children: Children) -> syntax.Extent:
        if children[0].type == "DURATION":
            return self._duration_extent(children[0])
        return syntax.Extent(self._value(children[0], parse_integer, "count"), _span(meta))

    def start_of(self, _meta: Meta, children: Children) -> str | datetime:
        return "first" if children[0].type == "FIRST" else self._value(children[0], parse_moment, "moment")

    def partition(self, _meta: Meta, children: Children) -> _Partition:
        return _Partition(children)

    def partition_name(self, _meta: Meta, children: Children) -> syntax.Name | syntax.Reference:
        return self._name(children[0])

    def _name(self, token: Token) -> syntax.Name | syntax.Reference:
        if token.type == "NAME":
            return syntax.Name(str(token), span_of(token))
        return self._reference(token)

    def _reference(self, token: Token) -> syntax.Reference:
        if token.type == "IRI":
            return syntax.Iri(token[1:-1], span_of(token))
        return prefixed(str(token), span_of(token))

    def group_by(self, _meta: Meta, children: Children) -> _Groups:
        return _Groups(children)

    def having(self, meta: Meta, children: Children) -> _Having:
        return _Having([syntax.Condition(children[0], _span(meta))])

    def policy(self, meta: Meta, children: Children) -> syntax.PolicyClause:
        return syntax.PolicyClause(Policy(children[0].lower() if children else "any"), _span(meta))

    def after_keep(self, meta: Meta, _children: Children) -> syntax.AfterMatch:
        return syntax.AfterMatch(AfterMatchKind.KEEP_ALL, None, _span(meta))

    def after_past(self, meta: Meta, _children: Children) -> syntax.AfterMatch:
        return syntax.AfterMatch(AfterMatchKind.PAST_LAST, None, _span(meta))

    def after_next(self, meta: Meta, _children: Children) -> syntax.AfterMatch:
        return syntax.AfterMatch(AfterMatchKind.TO_NEXT, None, _span(meta))

    def after_variable(self, meta: Meta, children: Children) -> syntax.AfterMatch:
        kind = AfterMatchKind.TO_FIRST if children[0].type == "FIRST" else AfterMatchKind.TO_LAST
        return syntax.AfterMatch(kind, _variable(children[1]), _span(meta))

    def after_consume(self, meta: Meta, _children: Children) -> syntax.AfterMatch:
        return syntax.AfterMatch(AfterMatchKind.CONSUME, None, _span(meta))

    def limit(self, meta: Meta, children: Children) -> syntax.Limit:
        return syntax.Limit(self._value(children[0], parse_integer, "count"), _span(meta))

    def output(self, meta: Meta, children: Children) -> syntax.Output:
        return syntax.Output(str(children[0]).upper(), self.extent(meta, children[1:]), _span(meta))

    def expr(self, _meta: Meta, children: Children) -> syntax.Expression:
        return _fold(children, "OR")

    def both(self, _meta: Meta, children: Children) -> syntax.Expression:
        return _fold(children, "AND")

    def comparison(self, meta: Meta, children: Children) -> syntax.Expression:
        return syntax.Binary(cast("BinaryOperator", str(children[1])), children[0], children[2], _span(meta))

    def membership(self, meta: Meta, children: Children) -> syntax.Expression:
        return syntax.Membership(children[0], children[1], negated=False, span=_span(meta))

    def exclusion(self, meta: Meta, children: Children) -> syntax.Expression:
        return syntax.Membership(children[0], children[1], negated=True, span=_span(meta))

    def options(self, _meta: Meta, children: Children) -> tuple[syntax.Expression, ...]:
        return tuple(children)

    def sum(self, _meta: Meta, children: Children) -> syntax.Expression:
        return _fold_infix(children)

    def product(self, _meta: Meta, children: Children) -> syntax.Expression:
        return _fold_infix(children)

    def negated(self, meta: Meta, children: Children) -> syntax.Expression:
        return syntax.Unary("NOT", children[0], _span(meta))

    def signed(self, meta: Meta, children: Children) -> syntax.Expression:
        sign: Literal["-", "+"] = "-" if children[0] == "-" else "+"
        return syntax.Unary(sign, children[1], _span(meta))

    def parenthesis(self, _meta: Meta, children: Children) -> syntax.Expression:
        return cast("syntax.Expression", children[0])

    def attribute(self, meta: Meta, children: Children) -> syntax.Attribute:
        return syntax.Attribute(_variable(children[0]), self._name(children[1]), _span(meta))

    def variable(self, _meta: Meta, children: Children) -> syntax.Variable:
        return _variable(children[0])

    def number(self, meta: Meta, children: Children) -> syntax.Number:
        token = children[0]
        if token.type == "INTEGER":
            return syntax.Number(self._value(token, parse_integer, "integer"), _span(meta))
        return syntax.Number(self._value(token, parse_double, "double"), _span(meta))

    def quantity(self, meta: Meta, children: Children) -> syntax.Quantity:
        return syntax.Quantity(children[0], children[1], _span(meta))

    def string(self, meta: Meta, children: Children) -> syntax.String:
        value = self._value(children[0], unquote, "string")
        language = next((str(c)[1:] for c in children[1:] if isinstance(c, Token)), None)
        datatype = next((c for c in children[1:] if not isinstance(c, Token)), None)
        return syntax.String(value, datatype, language, _span(meta))

    def boolean(self, meta: Meta, children: Children) -> syntax.Boolean:
        return syntax.Boolean(children[0].type == "TRUE", _span(meta))

    def duration(self, _meta: Meta, children: Children) -> syntax.Duration:
        return syntax.Duration(self._value(children[0], parse_duration, "duration"), span_of(children[0]))

    def reference(self, _meta: Meta, children: Children) -> syntax.Reference:
        return self._reference(children[0])

    def call(self, meta: Meta, children: Children) -> syntax.Call:
        name = next(c for c in children if isinstance(c, Token))
        before, after = children[: children.index(name)], children[children.index(name) + 1 :]
        arguments = tuple(c for c in after if not isinstance(c, Span))
        function = syntax.Name(name.upper(), span_of(name))
        return syntax.Call(function, arguments, _of(Span, after) is not None, bool(before), _span(meta))

    def running(self, meta: Meta, _children: Children) -> Span:
        return _span(meta)


def _between(left: syntax.Expression, right: syntax.Expression) -> Span:
    return Span(left.span.start, right.span.end)


def _fold(operands: Children, operator: Literal["OR", "AND"]) -> syntax.Expression:
    result = operands[0]
    for operand in operands[1:]:
        result = syntax.Binary(operator, result, operand, _between(result, operand))
    return cast("syntax.Expression", result)


def _fold_infix(children: Children) -> syntax.Expression:
    result = children[0]
    for operator, operand in zip(children[1::2], children[2::2], strict=True):
        result = syntax.Binary(cast("BinaryOperator", str(operator)), result, operand, _between(result, operand))
    return cast("syntax.Expression", result)
