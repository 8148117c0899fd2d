"""The strategies by which the past of a query could be answered, whatever the archive holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...annotator import EventShape
from ...archive.rewrite import CandidateQuery, RefusedError, WindowQuery
from ...language.nodes import Query
from ...ontology import KnowledgeBase
from ...planner import Rewritten, candidate_queries, rewrite, speaks_of_the_past
from .plan_node import PlanNode

__all__ = ["describe_strategies"]


def describe_strategies(
    query: Query, shapes: Mapping[str, EventShape], knowledge: KnowledgeBase
) -> tuple[PlanNode, ...]:
    """Explain each strategy, with its SPARQL or the reason why there is none.

    Args:
        query: checked.
        shapes: of the archived streams.
        knowledge: what the archive's store knows.

    Returns:
        One node that has the strategies as its children; none for a query that does not speak of the past.
    """
    if not speaks_of_the_past(query):
        return ()
    replay = PlanNode("replay", "events from the log, through the filters and the operator above")
    strategies = (replay, _hybrid(query, shapes, knowledge), _rewrite(query, shapes, knowledge))
    return (PlanNode("strategies for the past", children=strategies),)


def _hybrid(query: Query, shapes: Mapping[str, EventShape], knowledge: KnowledgeBase) -> PlanNode:
    try:
        selects = candidate_queries(query, shapes, knowledge)
    except RefusedError as reason:
        return PlanNode("hybrid", f"cannot: {reason}")
    text = "candidates from the store, a few buckets at a time, through the operator above"
    return PlanNode("hybrid", text, tuple(_candidates(select) for select in selects))


def _candidates(select: CandidateQuery) -> PlanNode:
    notes = (PlanNode("", f"afterwards a filter on columns, because {note}") for note in select.notes)
    return PlanNode(f"SPARQL of ?{select.source.variable}", children=(*_lines(select.text), *notes))


def _rewrite(query: Query, shapes: Mapping[str, EventShape], knowledge: KnowledgeBase) -> PlanNode:
    try:
        text = _text(rewrite(query, shapes, knowledge))
    except RefusedError as reason:
        return PlanNode("rewrite", f"cannot: {reason}")
    sparql = PlanNode("SPARQL", children=tuple(_lines(text)))
    return PlanNode("rewrite", "all of it in SPARQL, but what crosses the border to the live stream", (sparql,))


def _lines(sparql: str) -> Iterator[PlanNode]:
    return (PlanNode("", line) for line in sparql.splitlines() if line.strip())


def _text(rewritten: Rewritten) -> str:
    if isinstance(rewritten, CandidateQuery):
        return f"{rewritten.text} ORDER BY {rewritten.moment} ?{rewritten.source.variable}"
    if isinstance(rewritten, WindowQuery):
        return rewritten.text(None, None, None, None)
    return rewritten.text(None, None, None)
