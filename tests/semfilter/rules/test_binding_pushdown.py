"""An individual that the event leads to is a column."""

from __future__ import annotations

import pytest
from kaicep.semfilter.rules.binding_pushdown import push_bindings_down
from support.rule_cases import RuleCase, planned, rule_cases


@pytest.mark.parametrize("case", rule_cases("binding_pushdown"), ids=str)
def test_a_path_becomes_a_plan(case: RuleCase) -> None:
    assert case.applied(push_bindings_down) == case.plan


def test_a_binding_of_another_type_than_the_column_stays_in_sparql() -> None:
    plan = planned("?e evt:hasSource ?s", push_bindings_down, used="s:string")
    assert (plan.copies, len(plan.triples)) == ((), 1)
