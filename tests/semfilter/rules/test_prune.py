"""What starts at constants of the knowledge is evaluated at compile time."""

from __future__ import annotations

import pytest
from kaicep.semfilter.rules.prune import prune
from support.rule_cases import RuleCase, planned, rule_cases


@pytest.mark.parametrize("case", rule_cases("prune"), ids=str)
def test_a_path_becomes_a_plan(case: RuleCase) -> None:
    assert case.applied(prune) == case.plan


def test_what_has_many_solutions_stays_a_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    """So long a list of values is no simpler."""
    text = "?e evt:count ?n . hvc:Levels hvc:hasValue ?l . FILTER (?n > ?l)"
    assert len(planned(text, prune).inline_data) == 1
    monkeypatch.setattr("kaicep.semfilter.rules.prune._MOST", 1)
    plan = planned(text, prune)
    assert (plan.inline_data, len(plan.triples)) == ((), 2)
