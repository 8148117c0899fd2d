"""The plan of a query that is asked once: of which states, and by which registered query they are answered."""

from __future__ import annotations

from dataclasses import replace

from ...language.nodes import Query, StateReference
from ...pipeline import Catalog
from ...semfilter import SemanticFilter
from .plan_node import PlanNode
from .query_plan import describe_query
from .semantic_filter_plan import describe_semantic_filter

__all__ = ["explain_asked"]


def explain_asked(project: Catalog, query: Query) -> PlanNode:
    """Explain how a query that is asked once is answered.

    Args:
        project: its.
        query: checked, against the registered queries.

    Source: H2O, section IV: a query that nobody registered is answered by one that covers it.
    """
    filters = {
        s.variable: describe_semantic_filter(
            SemanticFilter(s, project.shape(s.stream), project.knowledge, project.options, query.document)
        )
        for s in query.sources
        if s.semantics is not None
    }
    plan = describe_query(query, filters)
    states = [
        PlanNode(f"?{source.variable}", _state(reference))
        for source, reference in zip(query.sources, query.asked, strict=True)
    ]
    rest = (child for child in plan.children if child.label != "within")
    return replace(plan, text=f"{query.kind.value}, asked once", children=(*states, *rest))


def _state(reference: StateReference) -> str:
    """Where the events of a variable are from."""
    if reference.contexts:
        return f"the windows of '{reference.query}' that are open"
    if reference.partial:
        return f"one event for each partial match of '{reference.query}'"
    if reference.cover:
        how = "its state is the same" if reference.body is None else "the query is evaluated on its state"
        return f"from '{reference.query}', which covers it: {reference.cover}; {how}"
    bound = "" if reference.variable is None else f", of those bound to ?{reference.variable}"
    return f"the events in the state of '{reference.query}'{bound}"
