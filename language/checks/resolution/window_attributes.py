"""`?acc.name` of IN CONTEXT … AS ?acc: an attribute of the context window in which the events lie."""

from __future__ import annotations

from dataclasses import replace

from ....errors import QueryTypeError, did_you_mean
from ... import syntax_tree as syntax
from ...nodes import COMPANION, Aggregate, Binding, Call, Expression, companion_of
from ...source_text import listed
from .scope import Beside, Scope


def window_attribute(scope: Scope, node: syntax.AttributeReference) -> Expression:
    """The attribute of a window, taken from the events beside it.

    Raises:
        QueryTypeError: the window has none of this name, or no event lies beside it.

    Source: LANGUAGE-2 §6.
    """
    window, name = scope.windows[node.variable.name], node.name
    if not isinstance(name, syntax.Name) or name.text not in window.attributes:
        raise _unknown(scope, node)
    if not scope.beside:
        hint = f"compare it with an attribute of an event: ?e.attribute = {scope.quote(node.span)}"
        raise scope.error(node.span, "a window has attributes beside events, and there is none", hint)
    attribute, full = window.attributes[name.text], f"{node.variable.name}.{name.text}"
    type_, wide = attribute.type, f"{name.text}{COMPANION}" in window.attributes
    found: list[Expression] = []
    for event in scope.beside:
        value = Binding(event.variable, full, type_, node.span, attribute.unit, wide)
        for used in (value, companion_of(value)) if wide else (value,):
            scope.used_windows[event.variable, used.name] = used.type
        found.append(Aggregate("FIRST", event.variable, value, type_, node.span) if event.several else value)
    return found[0] if len(found) == 1 else Call("COALESCE", tuple(found), type_, node.span)


def beside(scope: Scope, node: syntax.Node) -> Scope:
    """The scope of a condition, or of what an aggregate is of: windows there are those of the first event in it."""
    for part in syntax.walk(node):
        if isinstance(part, syntax.Variable):
            bound = scope.bindings.get(part.name, ())
            event = part.name if part.name in scope.streams or not bound else bound[0].variable
            if event in scope.placed:
                return replace(scope, beside=(Beside(event),))
    return scope


def each_event(scope: Scope) -> Scope:
    """The scope of what an aggregate is of: windows there are those of each event of a run."""
    return replace(scope, beside=tuple(Beside(event.variable) for event in scope.beside))


def _unknown(scope: Scope, node: syntax.AttributeReference) -> QueryTypeError:
    window, written = scope.windows[node.variable.name], scope.quote(node.name.span)
    message = f"windows of context '{window.context.context}' have no attribute '{written}'"
    names = [name for name in window.attributes if not name.endswith(COMPANION)]
    hint = did_you_mean(written, names) or (
        f"they have {listed(names, 'and')}; queries that initiate the context, and stand before, give it more"
    )
    return scope.error(node.name.span, message, hint)
