"""The actions of a rule: calls of the project's actions, events of streams, changes of contexts."""

from __future__ import annotations

from dataclasses import replace

from ... import syntax_tree as syntax
from ...nodes import ActionKind, ChangeKind, EventRule, Item, RuleAction, aggregates_of
from ..contexts import with_causes, with_change
from ..query_draft import Draft
from ..resolution import Scope
from ..select_items import hidden_items, output_stream, resolve_items
from .emissions import check_emission

__all__ = ["with_rule"]


def with_rule(scope: Scope, draft: Draft, name: syntax.Name, clause: syntax.RuleClause) -> Draft:
    """The query of a rule's rows with what is done for each; the arguments are hidden items of it.

    Raises:
        QueryTypeError: an action cannot be meant.

    Source: LANGUAGE-2 §8; EStreams §5.3.
    """
    if clause.priority == 0:
        raise scope.error(clause.span, "PRIORITY counts from 1, which is first", "write PRIORITY 1, or leave it out")
    actions = tuple(_action(scope, draft, node) for node in clause.actions)
    items = tuple(_hidden(place, item) for place, action in enumerate(actions) for item in action.items)
    return replace(draft, items=items, rule=EventRule(name.text, actions, clause.deferred, clause.priority))


def _hidden(place: int, item: Item) -> Item:
    return replace(item, name=f"{place}.{item.name}", hidden=True)


def _action(scope: Scope, draft: Draft, node: syntax.ActionClause) -> RuleAction:
    match node:
        case syntax.CallClause(action=action):
            items = _arguments(scope, node.arguments)
            output = output_stream(scope.names, action.text, items, scope.streams)
            return RuleAction(ActionKind.CALL, action.text, items, output, action.span)
        case syntax.EmitClause(stream=stream):
            items = _arguments(scope, node.arguments)
            output = output_stream(scope.names, stream.text, items, scope.streams)
            emitted = with_causes(output, draft, scope.streams)
            check_emission(scope, node, emitted)
            hidden = hidden_items(items, scope.streams)
            return RuleAction(ActionKind.EMIT, stream.text, (*items, *hidden), emitted, stream.span)
        case syntax.RuleChange():
            return _change(scope, draft, node)


def _change(scope: Scope, draft: Draft, node: syntax.RuleChange) -> RuleAction:
    clause = node.change
    if clause.kind is ChangeKind.SWITCH:
        hint = "write TERMINATE CONTEXT … and INITIATE CONTEXT …"
        raise scope.error(clause.span, "SWITCH ends the contexts of IN CONTEXT, and a rule is in none", hint)
    items = resolve_items(scope, node.items)
    _check_single(scope, items)
    one = with_change(scope, replace(draft, tree=replace(draft.tree, items=node.items), items=items), clause, ())
    output = output_stream(scope.names, "", items, scope.streams)
    changed = with_causes(output, draft, scope.streams)
    target = "" if one.change is None else one.change.context.set
    return RuleAction(ActionKind.CHANGE, target, one.items, changed, node.span, one.change)


def _arguments(scope: Scope, nodes: tuple[syntax.SelectItem, ...]) -> tuple[Item, ...]:
    items = resolve_items(scope, nodes)
    _check_single(scope, items)
    return items


def _check_single(scope: Scope, items: tuple[Item, ...]) -> None:
    """A rule looks at one row, of which nothing can be counted."""
    for item in items:
        found = aggregates_of(item.value)
        if found:
            hint = "aggregate in a query, and let the rule be ON that: CREATE QUERY … AS SELECT …"
            raise scope.error(found[0].span, "a rule looks at one row at a time and knows no aggregates", hint)
