"""What a query has to do with contexts: which it is in, what it is given, what derives them, what it changes itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...cep import why_apart
from ...language.checks.contexts import context_set_text
from ...language.nodes import (
    ContextChange,
    ContextReference,
    ContextSet,
    InContext,
    Query,
    bindings_of,
    expression_text,
)
from ...pipeline.flow import Registration, bounds_of, kin_of
from .plan_node import PlanNode

__all__ = ["describe_contexts"]


def describe_contexts(query: Query, others: Iterable[Registration] = ()) -> tuple[PlanNode, ...]:
    """Explain the contexts of a query.

    Args:
        query: checked.
        others: registered queries, itself or not; those that derive its contexts are named.
    """
    others = list(others)
    found = [] if query.in_context is None else [_in_context(query, query.in_context, others)]
    if query.change is not None:
        found.append(_change(query, query.change))
    return tuple(found)


def _in_context(query: Query, asked: InContext, others: Sequence[Registration]) -> PlanNode:
    deriving = [other for other in others if other.query.change is not None]
    sets = [contexts for contexts in query.context_sets if contexts.name in asked.sets]
    names = " or ".join(map(_name, asked.contexts))
    lying = ", ".join(f"?{variable}" for variable in asked.required)
    whole = (
        f"the events of {lying} that a match has lie in one window" if lying else "all that it asks lies in one window"
    )
    children = [
        PlanNode("", whole),
        *_partitions(asked),
        *_given(asked, sets, others),
        *_searched(query, others),
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


def _given(asked: InContext, sets: Sequence[ContextSet], others: Sequence[Registration]) -> Iterator[PlanNode]:
    """What reaches the query, and when: events wait until the contexts at their time are known."""
    behind = [one.query for contexts in sets for one in _deriving(contexts, others)]
    streams = ", ".join(_origins(behind, {one.query.name: one.query for one in others if one.query.name is not None}))
    if streams:
        yield PlanNode(
            "held", f"an event waits until the watermark of {streams} has passed it: then its contexts are known"
        )
    if asked.required:
        return
    bound = [p.variable for p in asked.placements for key in p.keys if any(bindings_of(key))]
    if not asked.pushed_down:
        yield PlanNode("not pushed down", "that is switched off: its filters and PATHs are asked of all events")
    elif bound:
        names = ", ".join(f"?{variable}" for variable in dict.fromkeys(bound))
        yield PlanNode("not pushed down", f"it takes the PATHs of {names} to say where its events lie")
    if asked.pushed_down and {p.variable for p in asked.placements} > set(bound):
        yield PlanNode(
            "pushed down", "events reach its filters only within these windows; while none holds, it is not asked"
        )


def _origins(queries: Sequence[Query], named: Mapping[str, Query]) -> list[str]:
    """The streams that queries read, and those behind the named queries among them."""
    found: dict[str, None] = {}
    ahead = [source.stream.name for query in queries for source in query.sources]
    while ahead:
        name = ahead.pop(0)
        if name not in found:
            found[name] = None
            ahead += [source.stream.name for source in named[name].sources] if name in named else []
    return list(found)


_ALONE, _BOUNDS = " alone", ", or in thresholds and windows: each keeps what its own let in"


def _searched(query: Query, others: Sequence[Registration]) -> Iterator[PlanNode]:
    """With what it shares the search for its matches."""
    apart = why_apart(query)
    if apart is not None:
        yield PlanNode("each window by itself", apart)
        return
    yield PlanNode("shared", "a match is looked for once for all windows that overlap")
    kin = kin_of(query)
    like = [one for one in others if kin is not None and one.query != query and kin_of(one.query) == kin]
    if like:
        names = ", ".join(f"{one.label} ({_names(one.query)})" for one in like)
        same = all(bounds_of(one.query) == bounds_of(query) for one in like)
        yield PlanNode("together", f"and once for {names}, which differ in their contexts{_ALONE if same else _BOUNDS}")


def _names(query: Query) -> str:
    return "" if query.in_context is None else " or ".join(map(_name, query.in_context.contexts))


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
