"""The compile-time rules: what each does to a subquery, and that no choice of them changes an answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.annotator import Annotator
from kaicep.config import Settings
from kaicep.language.nodes.query import Subquery
from kaicep.language.nodes.types import ValueType
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter.plan import Plan, PlanRule
from kaicep.semfilter.rules.compile import RULES, compile_subquery, plan_context
from kaicep.semfilter.rules.residual_query import write_residual_query
from kaicep.semfilter.runtime import FilterOptions
from kaicep.semfilter.runtime.event_selection import Selection, as_frame
from kaicep.semfilter.runtime.subquery import SubqueryFilter
from support.plans import residual_plan
from support.prefixes import turtle_head
from support.semantics import EVENTS, SETTINGS, flat_paths, knowledge_bases, nested_paths, raw_table
from support.subqueries import PREFIXES, source, subquery

_CASES = Path(__file__).parent / "rules"
_PREFIXES = turtle_head(PREFIXES)
_KNOWLEDGE = KnowledgeBase.of_turtle(_PREFIXES + (_CASES / "knowledge.ttl").read_text(encoding="utf-8"))
_STREAM = {
    "event_type": "evt:AirflowReport",
    "time": {"attribute": "timestamp", "property": "evt:hasTime"},
    "attributes": {
        "sensorID": {"property": "evt:hasSource", "individual": "ee:{}"},
        "zone": {"property": "evt:inZone", "individual": "bd:{}"},
        "flowrate": {"same_as": "hvc:airflow", "datatype": "xsd:double"},
        "count": {"property": "evt:count", "datatype": "xsd:integer"},
        "note": {"property": "evt:note", "datatype": "xsd:string"},
    },
}
_SHAPE = Annotator(
    "airflowReport", Settings.parse({"prefixes": PREFIXES, "streams": {"airflowReport": _STREAM}}), _KNOWLEDGE
).shape
_BY_NAME = {rule.__module__.rpartition(".")[2]: rule for rule in RULES}
"""A rule has a file, and so have its cases."""


def _cases() -> list[tuple[str, str, str, str]]:
    """File, title, before, after of each pair: `# title`, the PATH (and what is used of it), `=>`, the plan."""
    found = []
    for path in sorted(_CASES.glob("*.txt")):
        for case in path.read_text(encoding="utf-8").strip().split("\n\n"):
            title, *lines = case.splitlines()
            middle = lines.index("=>")
            found.append(
                (path.stem, title.removeprefix("# "), "\n".join(lines[:middle]), "\n".join(lines[middle + 1 :]))
            )
    return found


@pytest.mark.parametrize(("rule", "title", "before", "after"), _cases(), ids=lambda text: text[:40])
def test_a_rule_makes_one_plan_of_another(rule: str, title: str, before: str, after: str) -> None:
    text, _, used = before.partition("\nused: ")
    kinds = {name: ValueType(kind) for name, kind in (pair.split(":") for pair in used.split())}
    tested = subquery(text, tuple(kinds))
    context = plan_context(source(tested, kinds), _SHAPE, _KNOWLEDGE)
    plan = Plan(tested, tested.orderly, tested.triples, tested.filters)
    plan = _BY_NAME[rule](write_residual_query(plan, context) if rule == "materialise" else plan, context)
    assert residual_plan(plan, PREFIXES) == after, title


def test_every_rule_has_its_pairs() -> None:
    assert {rule for rule, *_ in _cases()} == set(_BY_NAME)


_KINDS = st.sampled_from([ValueType.TERM, ValueType.IRI, ValueType.DOUBLE, ValueType.STRING])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
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
