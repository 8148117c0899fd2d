"""The rules as data: each is well formed, and the table says what the standard says."""

from __future__ import annotations

import pytest
from kaicep.ontology.reasoners.owl_rules import Rule, general_rules
from pyoxigraph import NamedNode


def variables(rule: Rule, *, head: bool) -> set[str]:
    patterns = (rule.head,) if head else rule.body
    return {slot for pattern in patterns for slot in pattern if isinstance(slot, str)}


@pytest.mark.parametrize("rule", general_rules(), ids=lambda rule: rule.name)
def test_a_head_says_nothing_that_the_body_does_not_bind(rule: Rule) -> None:
    assert variables(rule, head=True) <= variables(rule, head=False)
    assert rule.one is None or rule.one in variables(rule, head=False)


def test_a_line_of_the_table_is_a_rule() -> None:
    (found,) = [rule for rule in general_rules() if rule.name == "prp-dom"]
    domain = NamedNode("http://www.w3.org/2000/01/rdf-schema#domain")
    kind = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    assert found == Rule("prp-dom", (("?p", domain, "?c"), ("?x", "?p", "?y")), ("?x", kind, "?c"))


def test_a_rule_about_at_most_one_tests_for_the_number() -> None:
    assert {rule.name for rule in general_rules() if rule.one is not None} == {"cls-maxc2", "cls-maxqc3", "cls-maxqc4"}
