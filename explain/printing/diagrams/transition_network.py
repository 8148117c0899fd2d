"""The contexts of queries as a diagram: contexts are boxes with what is asked in them, deriving queries are arrows.

Source: the context transition network of CAESAR (Figure 1, Def. 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....errors import PlanError
from ....language.nodes import ChangeKind, Context, ContextChange, ContextSet, Query, expression_text
from ....pipeline.flow import Registration
from .diagram import Arrow, Box, Diagram, Tone

__all__ = ["transition_network_of"]


def transition_network_of(queries: Sequence[Registration]) -> Diagram:
    """The contexts that queries speak of, and what changes them.

    Args:
        queries: deriving ones and those in contexts, in the order of their texts; others are not drawn.

    Raises:
        PlanError: none of them speaks of contexts.
    """
    known = {contexts.name: contexts for one in queries for contexts in one.query.context_sets}
    sets = dict(sorted(known.items()))
    if not sets:
        raise PlanError("no query speaks of contexts", hint="declare them with CREATE CONTEXTS, and ask IN CONTEXT")
    keys = {(s.name, c.name): f"c{n}" for n, (s, c) in enumerate((s, c) for s in sets.values() for c in s.contexts)}
    boxes = tuple(_box(keys[s.name, c.name], s, c, queries) for s in sets.values() for c in s.contexts)
    arrows = (
        Arrow(keys[change.context.set, begin], keys[change.context.set, end], _label(one, change))
        for one in queries
        for change in (one.query.change,)
        if change is not None
        for begin, end in _ways(one.query, change, sets[change.context.set])
    )
    return Diagram("contexts", boxes, tuple(arrows))


def _box(key: str, contexts: ContextSet, context: Context, queries: Sequence[Registration]) -> Box:
    default = context == contexts.default
    title = f"{contexts.name}.{context.name}" + (" (default)" if default else "")
    held = ("holds by the clock",) if context.calendar is not None else ()
    asked = (one.label for one in queries if one.query.change is None and _is_in(one.query, contexts, context))
    return Box(key, (title, *held, *asked), Tone.GROUND if default else Tone.PLAIN)


def _is_in(query: Query, contexts: ContextSet, context: Context) -> bool:
    return query.in_context is not None and any(
        (reference.set, reference.context) == (contexts.name, context.name) for reference in query.in_context.contexts
    )


def _ways(query: Query, change: ContextChange, contexts: ContextSet) -> Iterator[tuple[str, str]]:
    """Where a change leads from, and to: from the contexts that its query is in, else from the default."""
    default, changed = contexts.default.name, change.context.context
    if change.kind is ChangeKind.TERMINATE:
        yield changed, default
        return
    inside = [] if query.in_context is None else query.in_context.contexts
    begins = [reference.context for reference in inside if reference.set == contexts.name]
    for begin in begins or [default]:
        yield begin, changed


def _label(one: Registration, change: ContextChange) -> str:
    keys = [expression_text(item.value) for item in one.query.items if item.name in change.keys]
    return f"{change.kind} by {one.label}" + (f",\nfor {', '.join(keys)}" if keys else "")
