"""From whom the state of a query in no context comes: what differs in bounds alone is searched for and held once."""

from __future__ import annotations

from collections.abc import Iterable

from ...language.nodes import Query
from ...pipeline.flow import Registration, bounds_of, kin_of
from .plan_node import PlanNode

__all__ = ["describe_sharing"]


def describe_sharing(query: Query, others: Iterable[Registration] = ()) -> tuple[PlanNode, ...]:
    """Explain with whom a query holds its state; nothing if it holds its own.

    Args:
        query: checked.
        others: registered queries; those that were registered together with it share with it.
    """
    kin = None if query.in_context is not None else kin_of(query)
    like = [one for one in others if kin is not None and one.query != query and kin_of(one.query) == kin]
    own = bounds_of(query) if like else ()
    if all(bounds_of(one.query) == own for one in like):
        return ()
    wide = [one.label for one in like if _covers(bounds_of(one.query), own)]
    names, keeps = ", ".join(one.label for one in like), "each keeps what its own thresholds and windows let in"
    if wide:
        return (
            PlanNode("state", f"that of {wide[0]}, which covers it: one search and one state for {names}; {keeps}"),
        )
    covered = all(_covers(own, bounds_of(one.query)) for one in like)
    whose = "its own, which covers those of the others" if covered else "that of the loosest bounds of all"
    return (PlanNode("state", f"{whose}: one state, searched for once with {names}; {keeps}"),)


def _covers(wide: tuple[float, ...], narrow: tuple[float, ...]) -> bool:
    return wide != narrow and all(one >= other for one, other in zip(wide, narrow, strict=True))
