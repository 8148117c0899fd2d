"""From lark's parse tree to the syntax tree: documents, queries and their clauses."""

# ruff: noqa: D102 - a method of Builder makes what the grammar's rule of its name reads

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal, cast

from lark import Token, v_args
from lark.tree import Meta

from ..nodes import AfterMatchKind, Policy, Span
from . import tree as syntax
from .expression_builder import Children, ExpressionBuilder, all_of, first_of, place, span_of, variable_of
from .literals import parse_duration, parse_integer, parse_moment

_COUNTS = {"+": (1, None), "*": (0, None), "?": (0, 1)}


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
class Builder(ExpressionBuilder):
    """Makes the nodes of `syntax`; its methods are named as the grammar's rules.

    Raises:
        VisitError: around the QuerySyntaxError of a literal that has no value.
    """

    def start(self, _meta: Meta, children: Children) -> tuple[syntax.Prefix | syntax.Statement, ...]:
        return tuple(children)

    def prefix(self, meta: Meta, children: Children) -> syntax.Prefix:
        return syntax.Prefix(children[0][:-1], children[1][1:-1], place(meta))

    def statement(self, meta: Meta, children: Children) -> syntax.Statement:
        name = syntax.Name(str(children[0]), span_of(children[0])) if len(children) > 1 else None
        return syntax.Statement(name, children[-1], place(meta))

    def query(self, meta: Meta, children: Children) -> syntax.Query:
        clauses: Children = first_of(_Clauses, children) or []
        conditions = all_of(tuple, clauses)
        having = first_of(_Having, children)
        return syntax.Query(
            items=tuple(first_of(_Items, children) or ()),
            distinct=first_of(Span, children),
            sources=tuple(first_of(_Sources, children) or ()),
            bounds=first_of(syntax.Bounds, children),
            paths=tuple(c for c in clauses if isinstance(c, syntax.Path | syntax.PathAnd | syntax.PathOr)),
            filters=tuple(condition for kind, condition in conditions if kind == "FILTER"),
            joins=tuple(condition for kind, condition in conditions if kind == "JOIN"),
            sequences=all_of(syntax.SequenceClause, clauses),
            windows=all_of(syntax.Window, clauses),
            partition_by=tuple(first_of(_Partition, children) or ()),
            group_by=tuple(first_of(_Groups, children) or ()),
            having=having[0] if having else None,
            policy=first_of(syntax.PolicyClause, children),
            after_match=first_of(syntax.AfterMatch, children),
            limit=first_of(syntax.Limit, children),
            output=first_of(syntax.Output, children),
            span=place(meta),
        )

    def distinct(self, meta: Meta, _children: Children) -> Span:
        return place(meta)

    def items(self, _meta: Meta, children: Children) -> _Items:
        return _Items(children)

    def item(self, meta: Meta, children: Children) -> syntax.Item:
        name = syntax.Name(str(children[1]), span_of(children[1])) if len(children) > 1 else None
        return syntax.Item(children[0], name, place(meta))

    def star(self, meta: Meta, children: Children) -> syntax.Star:
        return syntax.Star(variable_of(children[0]), place(meta))

    def sources(self, _meta: Meta, children: Children) -> _Sources:
        return _Sources(children)

    def source(self, meta: Meta, children: Children) -> syntax.Source:
        stream = syntax.Name(str(children[1]), span_of(children[1]))
        return syntax.Source(variable_of(children[0]), stream, place(meta))

    def within(self, meta: Meta, children: Children) -> syntax.Bounds:
        comma = next(i for i, child in enumerate(children) if isinstance(child, Token) and child.type == "COMMA")
        lower, upper = first_of(syntax.Instant, children[:comma]), first_of(syntax.Instant, children[comma:])
        return syntax.Bounds(lower, children[0] == "(", upper, children[-1] == ")", place(meta))

    def instant(self, meta: Meta, children: Children) -> syntax.Instant:
        if not children:
            return syntax.Instant(None, timedelta(0), place(meta))
        offset = self._value(children[1], parse_duration, "duration")
        return syntax.Instant(None, -offset if children[0] == "-" else offset, place(meta))

    def moment(self, meta: Meta, children: Children) -> syntax.Instant:
        return syntax.Instant(self._value(children[0], parse_moment, "moment"), timedelta(0), place(meta))

    def where(self, _meta: Meta, children: Children) -> _Clauses:
        return _Clauses(children)

    def path(self, meta: Meta, children: Children) -> syntax.PathOr:
        return syntax.PathOr(tuple(children), place(meta))

    def path_and(self, meta: Meta, children: Children) -> syntax.PathAnd:
        return syntax.PathAnd(tuple(children), place(meta))

    def path_leaf(self, meta: Meta, children: Children) -> syntax.Path:
        body = span_of(children[0])
        return syntax.Path(Span(body.start + 1, body.end - 1), place(meta))

    def filter(self, meta: Meta, children: Children) -> tuple[str, syntax.Condition]:
        return "FILTER", syntax.Condition(children[0], place(meta))

    def join(self, meta: Meta, children: Children) -> tuple[str, syntax.Condition]:
        return "JOIN", syntax.Condition(children[0], place(meta))

    def seq(self, meta: Meta, children: Children) -> syntax.SequenceClause:
        return syntax.SequenceClause(children[0], place(meta))

    def pattern(self, meta: Meta, children: Children) -> syntax.Sequence:
        return syntax.Sequence(tuple(children[::2]), tuple(children[1::2]), place(meta))

    def alternative(self, meta: Meta, children: Children) -> syntax.Alternative:
        return syntax.Alternative(tuple(children), place(meta))

    def conjunction(self, meta: Meta, children: Children) -> syntax.Conjunction:
        return syntax.Conjunction(tuple(children), place(meta))

    def element(self, meta: Meta, children: Children) -> syntax.Element:
        return syntax.Element(variable_of(children[0]), first_of(syntax.Quantifier, children), place(meta))

    def negation(self, meta: Meta, children: Children) -> syntax.Negation:
        duration = self.duration(meta, children[1:]) if len(children) > 1 else None
        return syntax.Negation(variable_of(children[0]), duration, place(meta))

    def group(self, meta: Meta, children: Children) -> syntax.Pattern:
        if len(children) == 1:
            return cast("syntax.Pattern", children[0])
        return syntax.Group(children[0], children[1], place(meta))

    def link(self, _meta: Meta, children: Children) -> str:
        return str(children[0])

    def quantifier(self, meta: Meta, children: Children) -> syntax.Quantifier:
        minimum, maximum, link = self._repetition(children[0])
        every_length = any(child is Ellipsis for child in children)
        until = first_of(_Having, children)
        return syntax.Quantifier(minimum, maximum, link, every_length, until[0] if until else None, place(meta))

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
        raise self._source.syntax_error(place(meta), "how often is not said", "write {2}, {2,}, {,5} or {2,5}")

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
        variables = tuple(variable_of(c) for c in children if isinstance(c, Token) and c.type == "VAR")
        durations = [c for c in children if isinstance(c, Token) and c.type == "DURATION"]
        extents = all_of(syntax.Extent, children) or tuple(self._duration_extent(d) for d in durations)
        start = next((c for c in children if isinstance(c, str | datetime) and not isinstance(c, Token)), None)
        return syntax.Window(mode, variables, extents, cast("Literal['first'] | datetime | None", start), place(meta))

    def _duration_extent(self, token: Token) -> syntax.Extent:
        return syntax.Extent(self._value(token, parse_duration, "duration"), span_of(token))

    def extent(self, meta: Meta, children: Children) -> syntax.Extent:
        if children[0].type == "DURATION":
            return self._duration_extent(children[0])
        return syntax.Extent(self._value(children[0], parse_integer, "count"), place(meta))

    def start_of(self, _meta: Meta, children: Children) -> str | datetime:
        return "first" if children[0].type == "FIRST" else self._value(children[0], parse_moment, "moment")

    def partition(self, _meta: Meta, children: Children) -> _Partition:
        return _Partition(children)

    def partition_name(self, _meta: Meta, children: Children) -> syntax.Name | syntax.Reference:
        return self._name(children[0])

    def group_by(self, _meta: Meta, children: Children) -> _Groups:
        return _Groups(children)

    def having(self, meta: Meta, children: Children) -> _Having:
        return _Having([syntax.Condition(children[0], place(meta))])

    def policy(self, meta: Meta, children: Children) -> syntax.PolicyClause:
        return syntax.PolicyClause(Policy(children[0].lower() if children else "any"), place(meta))

    def after_keep(self, meta: Meta, _children: Children) -> syntax.AfterMatch:
        return syntax.AfterMatch(AfterMatchKind.KEEP_ALL, None, place(meta))

    def after_past(self, meta: Meta, _children: Children) -> syntax.AfterMatch:
        return syntax.AfterMatch(AfterMatchKind.PAST_LAST, None, place(meta))

    def after_next(self, meta: Meta, _children: Children) -> syntax.AfterMatch:
        return syntax.AfterMatch(AfterMatchKind.TO_NEXT, None, place(meta))

    def after_variable(self, meta: Meta, children: Children) -> syntax.AfterMatch:
        kind = AfterMatchKind.TO_FIRST if children[0].type == "FIRST" else AfterMatchKind.TO_LAST
        return syntax.AfterMatch(kind, variable_of(children[1]), place(meta))

    def after_consume(self, meta: Meta, _children: Children) -> syntax.AfterMatch:
        return syntax.AfterMatch(AfterMatchKind.CONSUME, None, place(meta))

    def limit(self, meta: Meta, children: Children) -> syntax.Limit:
        return syntax.Limit(self._value(children[0], parse_integer, "count"), place(meta))

    def output(self, meta: Meta, children: Children) -> syntax.Output:
        return syntax.Output(str(children[0]).upper(), self.extent(meta, children[1:]), place(meta))
