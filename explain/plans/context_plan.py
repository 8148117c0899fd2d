"""What a query has to do with contexts: which it is in, what it is given, what derives them, what it changes itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...language.nodes import (
    ContextChange,
    ContextReference,
    ContextSet,
    InContext,
    Query,
    context_set_text,
    expression_text,
)
from ...pipeline.flow import Registration
from .plan_node import PlanNode

__all__ = ["describe_contexts"]


def describe_contexts(query: Query, others: Iterable[Registration] = ()) -> tuple[PlanNode, ...]:
    """Explain the contexts of a query.

    Args:
        query: checked.
        others: registered queries, itself or not; those that derive its contexts are named.
    """
    deriving = [other for other in others if other.query.change is not None]
    found = [] if query.in_context is None else [_in_context(query, query.in_context, deriving)]
    if query.change is not None:
        found.append(_change(query, query.change))
    return tuple(found)


def _in_context(query: Query, asked: InContext, deriving: Sequence[Registration]) -> PlanNode:
    sets = [contexts for contexts in query.context_sets if contexts.name in asked.sets]
    names = " or ".join(map(_name, asked.contexts))
    lying = ", ".join(f"?{variable}" for variable in asked.required)
    whole = (
        f"the events of {lying} that a match has lie in one window" if lying else "all that it asks lies in one window"
    )
    children = [
        PlanNode("", whole),
        *_partitions(asked),
        *_given(asked, sets, deriving),
        *(node for contexts in sets for node in _set(contexts, deriving)),
    ]
    return PlanNode("in context", names, tuple(children))


def _name(reference: ContextReference) -> str:
    return f"{reference.set}.{reference.context}" + (f" as ?{reference.variable}" if reference.variable else "")


def _partitions(asked: InContext) -> Iterator[PlanNode]:
    for placement in asked.placements:
        if placement.keys:
            keys = ", ".join(map(expression_text, placement.keys))
            text = (
                f"?{placement.variable} lies in that of {placement.set} for {keys}; with an unbound one in no context"
            )
            yield PlanNode("partition", text)


def _given(asked: InContext, sets: Sequence[ContextSet], deriving: Sequence[Registration]) -> Iterator[PlanNode]:
    """What reaches the query, and when: events wait until the contexts at their time are known."""
    behind = (one.query for contexts in sets for one in _deriving(contexts, deriving))
    streams = ", ".join(dict.fromkeys(source.stream.name for deriver in behind for source in deriver.sources))
    if streams:
        yield PlanNode(
            "held", f"an event waits until the watermark of {streams} has passed it: then its contexts are known"
        )
    if not asked.required:
        yield PlanNode(
            "pushed down", "events reach its filters only within these windows; while none holds, it is not asked"
        )


def _deriving(contexts: ContextSet, deriving: Sequence[Registration]) -> list[Registration]:
    return [one for one in deriving if one.query.change is not None and one.query.change.context.set == contexts.name]


def _set(contexts: ContextSet, deriving: Sequence[Registration]) -> Iterator[PlanNode]:
    known = [
        PlanNode(f"derived by {one.label}", _changes(one.query.change, one.query.in_context))
        for one in _deriving(contexts, deriving)
        if one.query.change is not None
    ]
    shared = (PlanNode("", "one instance of each derives them for all queries"),) if known else ()
    yield PlanNode("contexts", context_set_text(contexts), (*known, *shared))


def _change(query: Query, change: ContextChange) -> PlanNode:
    keys = [item.value for item in query.items if item.name in change.keys]
    of = f", in the partition of {', '.join(map(expression_text, keys))}" if keys else ""
    return PlanNode("changes", f"{_changes(change, query.in_context)}{of}")


def _changes(change: ContextChange, asked: InContext | None) -> str:
    inside = "" if asked is None else f", in {' or '.join(map(_name, asked.contexts))}"
    return f"{change.kind} {change.context.set}.{change.context.context}{inside}"
