"""Names that mean the same become one name."""

from __future__ import annotations

import pytest
from kaicep.semfilter.rules.normalise import normalise
from support.rule_cases import RuleCase, planned, rule_cases


@pytest.mark.parametrize("case", rule_cases("normalise"), ids=str)
def test_a_path_becomes_a_plan(case: RuleCase) -> None:
    assert case.applied(normalise) == case.plan


def test_what_is_renamed_is_explained() -> None:
    (note,) = planned("?e hvc:flowrate ?v", normalise).notes
    assert note.startswith("normalised: ?e <http://cei.usc.edu/HVAC.owl#flowrate> ?v: ")
