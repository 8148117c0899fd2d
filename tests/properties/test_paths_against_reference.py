"""The filter gives what one query per event over KB ∪ triples(e) gives, whatever was pruned, transformed or cached."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.annotator import Annotator
from kaicep.language.nodes import Subquery
from kaicep.language.nodes.types import ValueType
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter import SemanticFilter
from kaicep.semfilter.runtime import FilterOptions
from support.plans import explained
from support.semantics import EVENTS, SETTINGS, flat_paths, knowledge_bases, nested_paths, raw_table
from support.subqueries import reference_solutions, source, value

_OPTIONS = st.builds(
    FilterOptions,
    compiled=st.sampled_from([True, True, False]),
    buffer=st.booleans(),
    cache_size=st.sampled_from([0, 1, 3, 100]),
    table_size=st.sampled_from([0, 1, 100, 100]),
)


def _agree(
    tested: Subquery, knowledge: KnowledgeBase, rows: list[dict[str, Any]], options: FilterOptions, engine: str
) -> None:
    annotator = Annotator("airflowReport", SETTINGS, knowledge)
    events = annotator.annotate(raw_table(rows)).events
    names = tested.bindings
    bound = source(tested, dict.fromkeys(names, ValueType.TERM))
    semantic = SemanticFilter(bound, annotator.shape, knowledge, options)
    expected = reference_solutions(tested, annotator.shape, knowledge, events, engine)
    for batch in (events, events.slice(0, 2), events):
        found = [
            (row["number"], tuple(sorted((n, value(row[f"?{n}"])) for n in names if row[f"?{n}"] is not None)))
            for row in semantic.select(batch).to_pylist()
        ]
        wanted = [(i, solution) for i, solutions in enumerate(expected[: batch.num_rows]) for solution in solutions]
        assert Counter(found) == Counter(wanted), explained(semantic)
        assert [number for number, _ in found] == sorted(number for number, _ in found)


_QUICK = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))


@_QUICK
@given(flat_paths(), knowledge_bases(), EVENTS, _OPTIONS)
def test_flat_paths_agree_with_rdflib(
    tested: Subquery, knowledge: KnowledgeBase, rows: list[dict[str, Any]], options: FilterOptions
) -> None:
    """Triples and FILTERs: whatever is pruned or transformed, the answer is rdflib's."""
    _agree(tested, knowledge, rows, options, "rdflib")


@_QUICK
@given(nested_paths(), knowledge_bases(), EVENTS, _OPTIONS)
def test_nested_paths_agree_with_one_query_per_event(
    tested: Subquery, knowledge: KnowledgeBase, rows: list[dict[str, Any]], options: FilterOptions
) -> None:
    """Any group: evaluating the keys of a batch together is one query per event with the event in its place."""
    _agree(tested, knowledge, rows, options, "oxigraph")
