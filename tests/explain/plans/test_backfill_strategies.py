"""Each strategy for the past is told, with its SPARQL or the reason why it has none."""

from __future__ import annotations

import pytest
from kaicep.explain import PlanNode
from kaicep.explain.plans.backfill_strategies import describe_strategies
from support.letters import project


def strategies(text: str) -> dict[str, PlanNode]:
    (query,) = project().compile(text)
    (told,) = describe_strategies(query, project().shapes, project().knowledge) or (PlanNode(""),)
    return {child.label: child for child in told.children}


@pytest.mark.parametrize("bounds", ["", "WITHIN [now, )", "WITHIN (now + 5s, )"])
def test_a_query_of_the_future_has_none(bounds: str) -> None:
    assert strategies(f"SELECT ?e.x FROM (?e, letters) {bounds}") == {}


def test_a_filter_is_asked_of_the_store() -> None:
    told = strategies("SELECT ?e.x FROM (?e, letters) WITHIN (now - 1h, ) FILTER (?e.x > 5)")
    assert list(told) == ["replay", "hybrid", "rewrite"]
    (select,) = told["hybrid"].children
    assert select.label == "SPARQL of ?e"
    assert any("SELECT" in line.text for line in select.children)
    (sparql,) = told["rewrite"].children
    assert sparql.children[-1].text.endswith("?e")


def test_what_sparql_cannot_say_is_refused_with_its_reason() -> None:
    told = strategies("SELECT ?a.x FROM (?a, letters), (?b, letters) WITHIN (, ) SEQ (?a -> ?b) WINDOW (?a, ?b, 5s)")
    assert told["rewrite"].text.startswith("cannot: ")
    assert told["rewrite"].children == ()
