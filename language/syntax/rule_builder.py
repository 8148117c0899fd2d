"""From lark's parse tree to the syntax tree: rules and their actions."""

# ruff: noqa: D102 - a method of RuleBuilder makes what the grammar's rule of its name reads

from __future__ import annotations

from dataclasses import replace

from lark import Token, v_args
from lark.tree import Meta

from .. import syntax_tree as syntax
from ..literals import parse_integer
from ..source_text import Span
from .context_builder import ContextBuilder
from .expression_builder import Children, all_of, first_of, name_of, place, span_of, variable_of

_ROW = "row"


@v_args(meta=True)
class RuleBuilder(ContextBuilder):
    """Makes rules; its methods are named as the grammar's rules."""

    def rule(self, meta: Meta, children: Children) -> syntax.Statement:
        """A statement: the query of the rows that the rule looks at, and what it does for each."""
        name, stream = (name_of(token) for token in children[:2])
        variables = [variable_of(child) for child in children if isinstance(child, Token) and child.type == "VAR"]
        variable = variables[0] if variables else syntax.Variable(_ROW, span=stream.span)
        words = {child.type: child for child in children[2:] if isinstance(child, Token)}
        priority = self._value(words["INTEGER"], parse_integer, "count") if "INTEGER" in words else None
        actions = tuple(c for c in children if isinstance(c, syntax.EmitClause | syntax.CallClause | syntax.RuleChange))
        rows = syntax.FromItem(variable, stream, span=stream.span)
        asked = all_of(syntax.PathClause, children)
        filters = all_of(syntax.FilterClause, children)
        end = max(part.span.end for part in (rows, *asked, *filters))
        query = _rows(rows, filters, asked, Span(stream.span.start, end))
        clause = syntax.RuleClause(actions, "DEFERRED" in words, priority, span=place(meta))
        return syntax.Statement(name, query, clause, span=place(meta))

    def condition(self, meta: Meta, children: Children) -> syntax.FilterClause:
        return syntax.FilterClause(children[0], span=place(meta))

    def ask(self, meta: Meta, children: Children) -> syntax.PathClause:
        body = span_of(children[0])
        return syntax.PathClause(Span(body.start + 1, body.end - 1), span=place(meta), asks=True)

    def emission(self, meta: Meta, children: Children) -> syntax.EmitClause:
        return syntax.EmitClause(name_of(children[0]), all_of(syntax.SelectItem, children), span=place(meta))

    def action_call(self, meta: Meta, children: Children) -> syntax.CallClause:
        return syntax.CallClause(name_of(children[0]), all_of(syntax.SelectItem, children), span=place(meta))

    def rule_change(self, meta: Meta, children: Children) -> syntax.RuleChange:
        change = replace(children[0], keys=first_of(syntax.KeyValues, children))
        items = tuple(c for c in children if isinstance(c, syntax.SelectItem | syntax.AllAttributes))
        return syntax.RuleChange(change, items, span=place(meta))

    def argument(self, meta: Meta, children: Children) -> syntax.SelectItem:
        return syntax.SelectItem(children[0], name_of(children[1]), span=place(meta))


def _rows(
    rows: syntax.FromItem, filters: tuple[syntax.FilterClause, ...], asked: tuple[syntax.PathClause, ...], span: Span
) -> syntax.SelectQuery:
    """The query of the rows of a stream of which a rule's conditions hold."""
    return syntax.SelectQuery(
        change=None,
        items=(),
        distinct=False,
        sources=(rows,),
        in_context=None,
        within=None,
        paths=asked,
        filters=filters,
        joins=(),
        sequences=(),
        windows=(),
        partition_by=None,
        group_by=None,
        having=None,
        policy=None,
        after_match=None,
        order_by=None,
        limit=None,
        output=None,
        span=span,
    )
