"""What depends on individuals alone is asked of all of them at once."""

from __future__ import annotations

import pytest
from kaicep.semfilter.rules import write_residual_query
from kaicep.semfilter.rules.materialise import materialise
from support.rule_cases import RuleCase, planned, rule_cases


@pytest.mark.parametrize("case", rule_cases("materialise"), ids=str)
def test_a_path_becomes_a_plan(case: RuleCase) -> None:
    assert case.applied(write_residual_query, materialise) == case.plan


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("?e evt:count ?n . FILTER (?e != ?n)", "the event itself matters"),
        ("?e a evt:Event . bd:r1 bd:near ?x", "no individual matters"),
        ("?e evt:about ?x . ?x a bd:Room", "the property has two columns"),
    ],
)
def test_what_depends_on_anything_else_is_evaluated_as_it_comes(text: str, why: str) -> None:
    residual = planned(text, write_residual_query, materialise).residual
    assert residual is not None
    assert residual.materialisation is None, why
