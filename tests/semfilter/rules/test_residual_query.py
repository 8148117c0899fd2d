"""The residual query: its text, the key, and whether keys can be evaluated together."""

from __future__ import annotations

import pytest
from kaicep.semfilter.rules.event_class import decide_event_class
from kaicep.semfilter.rules.residual_query import write_residual_query
from support.rule_cases import RuleCase, planned, rule_cases


@pytest.mark.parametrize("case", rule_cases("residual_query"), ids=str)
def test_a_path_becomes_a_plan(case: RuleCase) -> None:
    assert case.applied(write_residual_query) == case.plan


def test_the_key_is_the_columns_that_it_can_see() -> None:
    residual = planned("?e evt:inZone ?z . ?z bd:near ?y", write_residual_query, used="y:iri").residual
    assert residual is not None
    assert [part.column for part in residual.key] == ["zone"]
    assert [(name, kind.value) for name, kind in residual.bindings] == [("y", "iri")]
    assert (residual.identified, residual.unbatchable, residual.classes) == (False, None, ())


def test_a_variable_predicate_sees_all_columns_and_classes() -> None:
    residual = planned("?e ?p ?o", write_residual_query).residual
    assert residual is not None
    assert {part.column for part in residual.key} >= {"sensorID", "zone", "flowrate", "count", "note"}
    assert residual.classes


def test_what_tells_events_apart_is_evaluated_event_by_event() -> None:
    residual = planned("?e evt:count ?n . FILTER (?e != ?n)", write_residual_query).residual
    assert residual is not None
    assert residual.identified
    assert residual.unbatchable == "it uses ?e as a value"


def test_what_no_event_satisfies_has_none() -> None:
    assert planned("?e a evt:Fire", decide_event_class, write_residual_query).residual is None
