"""From lark's parse tree to the syntax tree: documents, queries and their clauses."""

# ruff: noqa: D102 - a method of Builder makes what the grammar's rule of its name reads

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from lark import Token, v_args
from lark.tree import Meta

from .. import syntax_tree as syntax
from ..literals import parse_duration, parse_integer, parse_moment
from ..nodes import AfterMatchKind, Policy
from ..source_text import Span
from .expression_builder import (
    Children,
    Mark,
    all_of,
    first_of,
    name_of,
    place,
    span_of,
    variable_of,
)
from .rule_builder import RuleBuilder

_COUNTS = {"+": (1, None), "*": (0, None), "?": (0, 1)}


@v_args(meta=True)
class Builder(RuleBuilder):
    """Makes the nodes of the syntax tree; its methods are named as the grammar's rules.

    Raises:
        VisitError: around the QuerySyntaxError of a literal that has no value.
    """

    def start(self, _meta: Meta, children: Children) -> tuple[syntax.DocumentPart, ...]:
        return tuple(children)

    def prefix(self, meta: Meta, children: Children) -> syntax.Prefix:
        return syntax.Prefix(children[0][:-1], children[1][1:-1], span=place(meta))

    def statement(self, meta: Meta, children: Children) -> syntax.Statement | syntax.ContextSetDeclaration:
        if isinstance(children[0], syntax.ContextSetDeclaration | syntax.Statement):  # of a rule
            return children[0]
        name = name_of(children[0]) if len(children) > 1 else None
        return syntax.Statement(name, children[-1], span=place(meta))

    def query(self, meta: Meta, children: Children) -> syntax.SelectQuery:
        return syntax.SelectQuery(
            change=_change_of(children),
            items=tuple(c for c in children if isinstance(c, syntax.SelectItem | syntax.AllAttributes)),
            distinct=Mark.DISTINCT in children,
            sources=all_of(syntax.FromItem, children),
            in_context=first_of(syntax.InContextClause, children),
            within=first_of(syntax.WithinClause, children),
            paths=tuple(c for c in children if isinstance(c, syntax.PathExpression)),
            filters=all_of(syntax.FilterClause, children),
            joins=all_of(syntax.JoinClause, children),
            sequences=all_of(syntax.SequenceClause, children),
            windows=all_of(syntax.WindowClause, children),
            partition_by=first_of(syntax.PartitionClause, children),
            group_by=first_of(syntax.GroupClause, children),
            having=first_of(syntax.HavingClause, children),
            policy=first_of(syntax.PolicyClause, children),
            after_match=first_of(syntax.AfterMatchClause, children),
            order_by=first_of(syntax.OrderClause, children),
            limit=first_of(syntax.LimitClause, children),
            output=first_of(syntax.OutputClause, children),
            span=place(meta),
        )

    def item(self, meta: Meta, children: Children) -> syntax.SelectItem:
        return syntax.SelectItem(children[0], name_of(children[1]) if len(children) > 1 else None, span=place(meta))

    def star(self, meta: Meta, children: Children) -> syntax.AllAttributes:
        return syntax.AllAttributes(variable_of(children[0]), span=place(meta))

    def source(self, meta: Meta, children: Children) -> syntax.FromItem:
        stream = name_of(children[1]) if isinstance(children[1], Token) else children[1]
        return syntax.FromItem(variable_of(children[0]), stream, span=place(meta))

    def state(self, meta: Meta, children: Children) -> syntax.StateOfQuery:
        variable = variable_of(children[1]) if len(children) > 1 else None
        return syntax.StateOfQuery(name_of(children[0]), variable, span=place(meta))

    def state_of_body(self, meta: Meta, children: Children) -> syntax.StateOfBody:
        return syntax.StateOfBody(children[0], span=place(meta))

    def partial(self, meta: Meta, children: Children) -> syntax.PartialsOfQuery:
        return syntax.PartialsOfQuery(name_of(children[0]), span=place(meta))

    def within(self, meta: Meta, children: Children) -> syntax.WithinClause:
        comma = next(i for i, child in enumerate(children) if isinstance(child, Token) and child.type == "COMMA")
        lower = first_of(syntax.WithinBound, children[:comma])
        upper = first_of(syntax.WithinBound, children[comma:])
        return syntax.WithinClause(lower, children[0] == "(", upper, children[-1] == ")", span=place(meta))

    def instant(self, meta: Meta, children: Children) -> syntax.WithinBound:
        if not children:
            return syntax.WithinBound(None, timedelta(0), span=place(meta))
        offset = self._value(children[1], parse_duration, "duration")
        return syntax.WithinBound(None, -offset if children[0] == "-" else offset, span=place(meta))

    def moment(self, meta: Meta, children: Children) -> syntax.WithinBound:
        return syntax.WithinBound(self._value(children[0], parse_moment, "moment"), timedelta(0), span=place(meta))

    def path(self, meta: Meta, children: Children) -> syntax.PathDisjunction:
        return syntax.PathDisjunction(tuple(children), span=place(meta))

    def path_and(self, meta: Meta, children: Children) -> syntax.PathConjunction:
        return syntax.PathConjunction(tuple(children), span=place(meta))

    def path_leaf(self, meta: Meta, children: Children) -> syntax.PathClause:
        body = span_of(children[0])
        return syntax.PathClause(Span(body.start + 1, body.end - 1), span=place(meta))

    def filter(self, meta: Meta, children: Children) -> syntax.FilterClause:
        return syntax.FilterClause(children[0], span=place(meta))

    def join(self, meta: Meta, children: Children) -> syntax.JoinClause:
        return syntax.JoinClause(children[0], span=place(meta))

    def seq(self, meta: Meta, children: Children) -> syntax.SequenceClause:
        return syntax.SequenceClause(children[0], span=place(meta))

    def pattern(self, meta: Meta, children: Children) -> syntax.PatternConcatenation:
        return syntax.PatternConcatenation(tuple(children[::2]), tuple(children[1::2]), span=place(meta))

    def alternative(self, meta: Meta, children: Children) -> syntax.PatternAlternation:
        return syntax.PatternAlternation(tuple(children), span=place(meta))

    def conjunction(self, meta: Meta, children: Children) -> syntax.PatternConjunction:
        return syntax.PatternConjunction(tuple(children), span=place(meta))

    def element(self, meta: Meta, children: Children) -> syntax.PatternVariable:
        quantifier = first_of(syntax.PatternQuantifier, children)
        return syntax.PatternVariable(variable_of(children[0]), quantifier, span=place(meta))

    def negation(self, meta: Meta, children: Children) -> syntax.NegatedVariable:
        duration = self._duration(children[1]) if len(children) > 1 else None
        return syntax.NegatedVariable(variable_of(children[0]), duration, span=place(meta))

    def timer(self, meta: Meta, children: Children) -> syntax.PatternTimer:
        return syntax.PatternTimer(self._duration(children[0]), None, recurring=False, span=place(meta))

    def recurring_timer(self, meta: Meta, children: Children) -> syntax.PatternTimer:
        until = variable_of(children[1]) if len(children) > 1 else None
        return syntax.PatternTimer(self._duration(children[0]), until, recurring=True, span=place(meta))

    def group(self, meta: Meta, children: Children) -> syntax.Pattern:
        if len(children) == 1:
            return cast("syntax.Pattern", children[0])
        return syntax.QuantifiedPattern(children[0], children[1], span=place(meta))

    def link(self, _meta: Meta, children: Children) -> str:
        return str(children[0])

    def quantifier(self, meta: Meta, children: Children) -> syntax.PatternQuantifier:
        minimum, maximum, link = self._repetition(children[0])
        until = cast("syntax.Expression | None", first_of(syntax.Node, children))
        return syntax.PatternQuantifier(minimum, maximum, link, Mark.TILDE in children, until, span=place(meta))

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

    def tilde(self, _meta: Meta, _children: Children) -> Mark:
        return Mark.TILDE

    def window(self, meta: Meta, children: Children) -> syntax.WindowClause:
        tokens = all_of(Token, children)
        variables = tuple(variable_of(token) for token in tokens if token.type == "VAR")
        words = [token.lower() for token in tokens if token.type != "VAR"]
        mode, shared = (words or ["correlation"])[0], "shared" in words[1:]
        extents = all_of(syntax.Extent, children)
        start = next((c for c in children if c == "first" or isinstance(c, datetime)), None)
        condition = next((c for c in children if isinstance(c, syntax.Node) and c not in extents), None)
        return syntax.WindowClause(
            cast("Any", mode), variables, extents, start, cast("Any", condition), shared, span=place(meta)
        )

    def extent(self, meta: Meta, children: Children) -> syntax.Extent:
        if children[0].type == "DURATION":
            return syntax.Extent(self._duration(children[0]).value, span=place(meta))
        return syntax.Extent(self._value(children[0], parse_integer, "count"), span=place(meta))

    def width(self, meta: Meta, children: Children) -> syntax.Extent:
        return self.extent(meta, children)

    def start_of(self, _meta: Meta, children: Children) -> str | datetime:
        return "first" if children[0].type == "FIRST" else self._value(children[0], parse_moment, "moment")

    def partition(self, meta: Meta, children: Children) -> syntax.PartitionClause:
        return syntax.PartitionClause(tuple(self._name(token) for token in children), span=place(meta))

    def group_by(self, meta: Meta, children: Children) -> syntax.GroupClause:
        return syntax.GroupClause(tuple(children), span=place(meta))

    def having(self, meta: Meta, children: Children) -> syntax.HavingClause:
        return syntax.HavingClause(children[0], span=place(meta))

    def policy(self, meta: Meta, children: Children) -> syntax.PolicyClause:
        return syntax.PolicyClause(Policy(children[0].lower() if children else "any"), span=place(meta))

    def consumption(self, meta: Meta, children: Children) -> syntax.PolicyClause:
        mode = AfterMatchKind(children[0].lower())
        by, keep = all_of(syntax.WaitingKey, children), all_of(syntax.WaitingBound, children)
        return syntax.PolicyClause(Policy.ANY, mode, by, keep, span=place(meta))

    def waiting_key(self, meta: Meta, children: Children) -> syntax.WaitingKey:
        return syntax.WaitingKey(variable_of(children[0]), children[1], span=place(meta))

    def waiting_bound(self, meta: Meta, children: Children) -> syntax.WaitingBound:
        return syntax.WaitingBound(variable_of(children[0]), children[1], span=place(meta))

    def after(self, meta: Meta, children: Children) -> syntax.AfterMatchClause:
        words = " ".join(word.upper() for word in children if word.type != "VAR")
        variable = variable_of(children[-1]) if children[-1].type == "VAR" else None
        return syntax.AfterMatchClause(AfterMatchKind(words), variable, span=place(meta))

    def order_by(self, meta: Meta, children: Children) -> syntax.OrderClause:
        return syntax.OrderClause(tuple(children), span=place(meta))

    def sort_key(self, meta: Meta, children: Children) -> syntax.SortKey:
        descending = isinstance(children[0], Token) and children[0].type == "DESC"
        return syntax.SortKey(children[-1], descending, span=place(meta))

    def limit(self, meta: Meta, children: Children) -> syntax.LimitClause:
        return syntax.LimitClause(self._value(children[0], parse_integer, "count"), span=place(meta))

    def output(self, meta: Meta, children: Children) -> syntax.OutputClause:
        return syntax.OutputClause(str(children[0]).upper(), self.extent(meta, children[1:]), span=place(meta))


def _change_of(children: Children) -> syntax.ChangeClause | None:
    """The change of a deriving query, with what AT says of its keys."""
    change = first_of(syntax.ChangeClause, children)
    return None if change is None else replace(change, keys=first_of(syntax.KeyValues, children))
