"""What a deriving query does to a context, and what it may not do."""

from __future__ import annotations

from dataclasses import replace

from ... import syntax_tree as syntax
from ...nodes import ChangeKind, Context, ContextChange, ContextSet, Item, KnownContexts
from ..query_draft import Draft
from ..resolution import Scope, common, spoken, unit_of
from ..select_items import is_list
from .changed_partitions import PartitionKeys, known_keys, written_keys
from .context_references import find_context, refer


def find_change(scope: Scope, tree: syntax.SelectQuery, clause: syntax.ChangeClause) -> tuple[ContextSet, Context]:
    """The context that a deriving query changes, and its set.

    Raises:
        QueryTypeError: an unknown context, or one that it may not change in this way.

    Source: LANGUAGE-2 §6.
    """
    of, context = find_context(scope.names, clause.context)
    kind, span = clause.kind, clause.context.span
    if context.calendar is not None:
        hint = "a calendar context holds by the clock alone; declare another one"
        raise scope.error(span, f"no query changes '{context.name}', which has a calendar", hint)
    if context == of.default and kind is not ChangeKind.SWITCH:
        verb = "begins" if kind is ChangeKind.INITIATE else "ends"
        hint = f"change another context; the default {verb} with what the others do"
        raise scope.error(span, f"{kind} of the default context '{context.name}'", hint)
    if kind is ChangeKind.SWITCH:
        _check_switch(scope, tree, clause, of)
    if tree.items and (kind is ChangeKind.TERMINATE or context == of.default):
        hint = "leave them out; they are for INITIATE, and for SWITCH to a context that begins"
        raise scope.error(tree.items[0].span, "no window begins that could have these attributes", hint)
    return of, context


def _check_switch(scope: Scope, tree: syntax.SelectQuery, clause: syntax.ChangeClause, of: ContextSet) -> None:
    """SWITCH ends the windows of its own IN CONTEXT, which therefore is one of queries, and of the same set."""
    if tree.in_context is None:
        hint = f"say which contexts it ends: IN CONTEXT {of.default.name}; to end none write INITIATE"
        raise scope.error(clause.span, "SWITCH ends the contexts of IN CONTEXT, and there is none", hint)
    for use in tree.in_context.contexts:
        other, context = find_context(scope.names, use.context)
        if other.name != of.name:
            message = f"SWITCH ends contexts of '{of.name}', and '{context.name}' is of '{other.name}'"
            raise scope.error(use.span, message, "write INITIATE, and TERMINATE in a query of its own")
        if context.calendar is not None:
            hint = "write INITIATE, or leave it out of IN CONTEXT"
            raise scope.error(use.span, f"no query ends '{context.name}', which has a calendar", hint)


def with_change(scope: Scope, draft: Draft, clause: syntax.ChangeClause, partition_by: PartitionKeys) -> Draft:
    """A deriving query with its change, and with the keys of this as hidden items.

    Raises:
        QueryTypeError: the change cannot be meant, or no partition is known.
    """
    of, context = find_change(scope, draft.tree, clause)
    _check_attributes(scope, scope.names.vocabulary.contexts[of.name], context, draft.items)
    keys = (
        known_keys(scope, of, draft, partition_by, clause.span)
        if clause.keys is None
        else written_keys(scope, of, clause.keys)
    )
    change = ContextChange(clause.kind, refer(of, context), tuple(item.name for item in keys))
    return replace(draft, items=(*draft.items, *keys), change=change)


def _check_attributes(scope: Scope, known: KnownContexts, context: Context, items: tuple[Item, ...]) -> None:
    """An attribute of a context's windows has one value, of one type and unit whichever query initiates it."""
    attributes = {attribute.name: attribute for attribute in known.attributes.get(context.name, ())}
    for item in items:
        if is_list(scope.names, item.value):
            raise scope.error(item.span, "LIST is for SELECT, by itself", "a window's attribute has one value")
        before, unit = attributes.get(item.name), unit_of(scope.names, item.value)
        if before is None:
            continue
        if common(before.type, item.type) is None:
            message = f"'{item.name}' is {spoken(item.type)} here, and {spoken(before.type)} in another query"
            raise scope.error(item.span, message, f"give it another name, or the type that '{context.name}' has")
        if unit != before.unit:
            message = f"'{item.name}' is {_in(scope, unit)} here, and {_in(scope, before.unit)} in another query"
            raise scope.error(item.span, message, "give it another name, or bring it to that unit with CONVERT(…)")


def _in(scope: Scope, unit: str | None) -> str:
    return "a plain number" if unit is None else f"in {scope.names.compact(unit)}"
