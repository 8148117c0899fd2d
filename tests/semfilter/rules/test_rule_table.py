"""The rules together: each has its text pairs, and no choice of them changes an answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.annotator import Annotator
from kaicep.errors import QueryTypeError
from kaicep.language.nodes import Subquery, ValueType
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter.plan import PlanRule
from kaicep.semfilter.rules import RULES, compile_subquery, plan_context, write_residual_query
from kaicep.semfilter.runtime import FilterOptions, Selection, SubqueryFilter, as_frame
from support.plans import residual_plan
from support.rule_cases import CASES
from support.semantics import EVENTS, SETTINGS, flat_paths, knowledge_bases, nested_paths, raw_table
from support.subqueries import PREFIXES, source, subquery


def test_every_rule_has_a_file_and_its_pairs() -> None:
    assert {path.stem for path in CASES.glob("*.txt")} == {rule.__module__.rpartition(".")[2] for rule in RULES}


def test_the_residual_query_is_written_before_it_is_materialised() -> None:
    assert [rule.__name__ for rule in RULES[-2:]] == ["write_residual_query", "materialise"]


def test_what_cannot_be_evaluated_for_one_event_is_refused() -> None:
    tested = subquery("?x evt:hasSource ?s . BIND (?x AS ?e)")
    annotator = Annotator("airflowReport", SETTINGS, KnowledgeBase.empty())
    with pytest.raises(QueryTypeError, match=r"this PATH of \?e cannot be evaluated for one event: "):
        compile_subquery(tested, plan_context(source(tested), annotator.shape, KnowledgeBase.empty()))


_KINDS = st.sampled_from([ValueType.TERM, ValueType.IRI, ValueType.DOUBLE, ValueType.STRING])


@pytest.mark.slow
@settings(suppress_health_check=list(HealthCheck))
@given(
    st.one_of(flat_paths(), nested_paths()), knowledge_bases(), EVENTS,
    st.lists(st.sampled_from([rule for rule in RULES if rule is not write_residual_query]), unique=True),
    st.fixed_dictionaries(dict.fromkeys("abcghklmnqrtvwy", _KINDS)),
)  # fmt: skip
def test_no_choice_of_rules_changes_an_answer(
    tested: Subquery,
    knowledge: KnowledgeBase,
    rows: list[dict[str, Any]],
    kept: list[PlanRule],
    kinds: dict[str, ValueType],
) -> None:
    """Any subset of the rules selects the same events with the same values as none."""
    annotator = Annotator("airflowReport", SETTINGS, knowledge)
    events = annotator.annotate(raw_table(rows)).events
    context = plan_context(source(tested, {n: kinds[n] for n in tested.bindings}), annotator.shape, knowledge)
    chosen = [rule for rule in RULES if rule is write_residual_query or rule in kept]
    plans = [compile_subquery(tested, context, rules) for rules in ((write_residual_query,), chosen)]
    without, some = (SubqueryFilter(plan, context, FilterOptions()).select(events) for plan in plans)
    assert _rows(some) == _rows(without), residual_plan(plans[1], PREFIXES)


def _rows(selection: Selection) -> list[tuple[Any, ...]]:
    return sorted(as_frame(selection).rows(), key=repr)
