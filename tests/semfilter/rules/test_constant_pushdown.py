"""Constants of the event become conditions on columns, where that means the same."""

from __future__ import annotations

import pytest
from kaicep.semfilter.rules.constant_pushdown import push_constants_down
from support.rule_cases import RuleCase, planned, rule_cases


@pytest.mark.parametrize("case", rule_cases("constant_pushdown"), ids=str)
def test_a_path_becomes_a_plan(case: RuleCase) -> None:
    assert case.applied(push_constants_down) == case.plan


def test_what_moved_is_explained() -> None:
    plan = planned("?e evt:count 2 ; evt:count ?n", push_constants_down)
    (note,) = plan.notes
    assert note.startswith("transformed: ?e <http://cei.usc.edu/Event.owl#count> ")
    assert note.endswith(": condition on columns")
