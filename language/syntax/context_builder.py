"""From lark's parse tree to the syntax tree: contexts, what queries say of them, and their changes."""

# ruff: noqa: D102 - a method of ContextBuilder makes what the grammar's rule of its name reads

from __future__ import annotations

from dataclasses import replace

from lark import Token, v_args
from lark.tree import Meta

from .. import syntax_tree as syntax
from ..literals import unquote
from ..nodes import ChangeKind
from ..source_text import Span
from .expression_builder import Children, ExpressionBuilder, all_of, first_of, name_of, place, span_of, variable_of


@v_args(meta=True)
class ContextBuilder(ExpressionBuilder):
    """Makes what is said of contexts; its methods are named as the grammar's rules."""

    def contexts(self, meta: Meta, children: Children) -> syntax.ContextSetDeclaration:
        declared: list[syntax.ContextDeclaration] = []
        for part in children:
            if isinstance(part, syntax.ContextDeclaration):
                declared.append(part)
            elif isinstance(part, syntax.CalendarText):
                declared[-1] = self._with_text(declared[-1], part)
        keys, within = first_of(syntax.KeyClause, children), first_of(syntax.WithinClause, children)
        return syntax.ContextSetDeclaration(name_of(children[0]), tuple(declared), keys, within, span=place(meta))

    def _with_text(self, context: syntax.ContextDeclaration, text: syntax.CalendarText) -> syntax.ContextDeclaration:
        """A context whose calendar has one text more."""
        if not context.calendar:
            hint = f"write {context.name.text} DURING {self._source.quote(text.span)}"
            raise self._source.syntax_error(text.span, "this text belongs to no calendar", hint)
        if context.calendar[-1].zone is not None:
            hint = "the TIMEZONE stands once, behind the last of its texts"
            raise self._source.syntax_error(text.span, "this calendar has ended", hint)
        span = Span(context.span.start, text.span.end)
        return replace(context, calendar=(*context.calendar, text), span=span)

    def context(self, meta: Meta, children: Children) -> syntax.ContextDeclaration:
        default = any(isinstance(child, Token) and child.type == "DEFAULT" for child in children)
        calendar = all_of(syntax.CalendarText, children)
        return syntax.ContextDeclaration(name_of(children[0]), default, calendar, span=place(meta))

    def during(self, meta: Meta, children: Children) -> syntax.CalendarText:
        text, *rest = (syntax.Name(self._value(token, unquote, "string"), span=span_of(token)) for token in children)
        return syntax.CalendarText(text.text, rest[0] if rest else None, span=place(meta))

    def keys(self, meta: Meta, children: Children) -> syntax.KeyClause:
        return syntax.KeyClause(tuple(self._name(token) for token in children), span=place(meta))

    def change(self, meta: Meta, children: Children) -> syntax.ChangeClause:
        return syntax.ChangeClause(ChangeKind(children[0].upper()), children[2], None, span=place(meta))

    def at(self, meta: Meta, children: Children) -> syntax.KeyValues:
        return syntax.KeyValues(tuple(children), span=place(meta))

    def key_values(self, meta: Meta, children: Children) -> syntax.KeyValues:
        return syntax.KeyValues(tuple(children), span=place(meta))

    def context_name(self, meta: Meta, children: Children) -> syntax.ContextName:
        *names, context = (name_of(token) for token in children)
        return syntax.ContextName(names[0] if names else None, context, span=place(meta))

    def changes(self, meta: Meta, children: Children) -> syntax.ContextChanges:
        return syntax.ContextChanges(name_of(children[1]), span=place(meta))

    def in_context(self, meta: Meta, children: Children) -> syntax.InContextClause:
        required = next((child for child in children if isinstance(child, tuple)), ())
        uses, places = all_of(syntax.ContextUse, children), all_of(syntax.PlaceClause, children)
        return syntax.InContextClause(uses, required, places, span=place(meta))

    def context_use(self, meta: Meta, children: Children) -> syntax.ContextUse:
        variable = variable_of(children[1]) if len(children) > 1 else None
        return syntax.ContextUse(children[0], variable, span=place(meta))

    def required(self, _meta: Meta, children: Children) -> tuple[syntax.Variable, ...]:
        return tuple(variable_of(token) for token in children)

    def placement(self, meta: Meta, children: Children) -> syntax.PlaceClause:
        value = children[1]
        keys = value if isinstance(value, syntax.KeyValues) else syntax.KeyValues((value,), span=value.span)
        return syntax.PlaceClause(variable_of(children[0]), keys, span=place(meta))
