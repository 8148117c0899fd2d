"""Whether events are of a class is decided once for the stream."""

from __future__ import annotations

import pytest
from kaicep.semfilter.rules.event_class import decide_event_class
from support.rule_cases import RuleCase, planned, rule_cases


@pytest.mark.parametrize("case", rule_cases("event_class"), ids=str)
def test_a_path_becomes_a_plan(case: RuleCase) -> None:
    assert case.applied(decide_event_class) == case.plan


def test_the_decision_is_explained() -> None:
    plan = planned("?e a evt:Event ; evt:count ?n", decide_event_class)
    assert plan.notes == ("decided ahead: every event of airflowReport is a <http://cei.usc.edu/Event.owl#Event>",)
