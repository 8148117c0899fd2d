"""How the past of a query could be answered, in words and SPARQL, whatever the archive holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta

from ..annotator import EventShape
from ..archive.rewrite import CandidateQuery, RefusedError, WindowQuery
from ..language.nodes import Query
from ..ontology import KnowledgeBase
from ..semfilter import with_prefixes
from .rewritten_past import Rewritten, rewrite
from .strategies import candidate_queries


def outline(query: Query, shapes: Mapping[str, EventShape], knowledge: KnowledgeBase) -> list[str]:
    """Lines about each strategy; none for a query that does not speak of the past.

    Args:
        query: checked.
        shapes: of the archived streams.
        knowledge: what the archive's store knows.
    """
    if not speaks_of_the_past(query):
        return []
    lines = ["strategies for the past:", "  replay: events from the log, through the filters and the operator above"]
    lines += _hybrid(query, shapes, knowledge)
    lines += _rewrite(query, shapes, knowledge)
    return [with_prefixes(line, knowledge.prefixes) for line in lines]


def speaks_of_the_past(query: Query) -> bool:
    """Whether the query's WITHIN may begin before its registration."""
    bounds = query.bounds
    return bounds.lower is None or bounds.lower.moment is not None or bounds.lower.offset < timedelta(0)


def _hybrid(query: Query, shapes: Mapping[str, EventShape], knowledge: KnowledgeBase) -> Iterator[str]:
    try:
        selects = candidate_queries(query, shapes, knowledge)
    except RefusedError as reason:
        yield f"  hybrid: cannot: {reason}"
        return
    yield "  hybrid: candidates from the store, a few buckets at a time, through the operator above"
    for select in selects:
        yield f"    SPARQL of ?{select.source.variable}:"
        yield from (f"      {line}" for line in select.text.splitlines() if line.strip())
        yield from (f"      afterwards a filter on columns, because {note}" for note in select.notes)


def _rewrite(query: Query, shapes: Mapping[str, EventShape], knowledge: KnowledgeBase) -> Iterator[str]:
    try:
        text = _text(rewrite(query, shapes, knowledge))
    except RefusedError as reason:
        yield f"  rewrite: cannot: {reason}"
        return
    yield "  rewrite: all of it in SPARQL, but what crosses the border to the live stream"
    yield "    SPARQL:"
    yield from (f"      {line}" for line in text.splitlines() if line.strip())


def _text(rewritten: Rewritten) -> str:
    if isinstance(rewritten, CandidateQuery):
        return f"{rewritten.text} ORDER BY {rewritten.moment} ?{rewritten.source.variable}"
    if isinstance(rewritten, WindowQuery):
        return rewritten.text(None, None, None, None)
    return rewritten.text(None, None, None)
