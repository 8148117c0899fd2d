"""Which comparisons of event values become conditions on columns, and that the others stay in SPARQL."""

from __future__ import annotations

import pytest
from kaicep.annotator import Annotator
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter import SemanticFilter
from kaicep.semfilter.rules.filter_pushdown import push_filters_down
from kaicep.semfilter.runtime import FilterOptions
from support.plans import explained
from support.rule_cases import RuleCase, rule_cases
from support.streams import reports
from support.subqueries import source, subquery

_KNOWLEDGE = KnowledgeBase.of_turtle(
    """@prefix hvc: <http://cei.usc.edu/HVAC.owl#> . @prefix evt: <http://cei.usc.edu/Event.owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . hvc:Limit hvc:hasValue 2 . hvc:Two hvc:hasValue 1 , 3 .
    evt:first rdfs:subPropertyOf evt:any . evt:second rdfs:subPropertyOf evt:any ."""
)
_DATATYPES = {
    "double": "xsd:double", "float": "xsd:float", "decimal": "xsd:decimal", "integer": "xsd:integer",
    "text": "xsd:string",
    "flag": "xsd:boolean", "moment": "xsd:dateTime", "first": "xsd:double", "second": "xsd:double",
}  # fmt: skip
_SETTINGS = reports(**{n: {"property": f"evt:{n}", "datatype": d} for n, d in _DATATYPES.items()})
_SHAPE = Annotator("report", _SETTINGS, _KNOWLEDGE).shape


@pytest.mark.parametrize("case", rule_cases("filter_pushdown"), ids=str)
def test_a_path_becomes_a_plan(case: RuleCase) -> None:
    assert case.applied(push_filters_down) == case.plan


def _explained(text: str, bindings: tuple[str, ...] = ()) -> str:
    return explained(
        SemanticFilter(source(subquery(text, bindings)), _SHAPE, _KNOWLEDGE, FilterOptions()), _KNOWLEDGE.prefixes
    )


@pytest.mark.parametrize(
    "text",
    [
        "?e evt:double ?v . FILTER (?v > 1)",
        "?e evt:double ?v . FILTER (!(?v > 1.5 && 3 > ?v) || ?v = 0)",
        "?e evt:double ?v . FILTER (-?v + 2 * ?v / 3 != 1e0)",
        "?e evt:integer ?v . FILTER (?v * 2 - 1 <= 7)",
        "?e evt:decimal ?v . FILTER (?v >= 1.5)",
        '?e evt:text ?v . FILTER (?v = "a")',
        '?e evt:moment ?v . FILTER (?v < "2012-05-07T00:00:00Z"^^xsd:dateTime)',
        "?e evt:double ?v . hvc:Limit hvc:hasValue ?l . FILTER (?v > ?l)",
        "?e evt:double ?v ; evt:integer ?w . FILTER (?v > ?w + 1e0)",
        "?e evt:double ?v",
        "?e evt:double ?v . FILTER (?v IN (1, 2.5) || ?v NOT IN (3))",
        "?e evt:double ?v . FILTER (?v > 1) FILTER NOT EXISTS { hvc:Two hvc:hasValue 2 }",
        "?e evt:double 1.5e0",
        "?e evt:integer 7",
        '?e evt:text "a"',
        "?e evt:flag true",
    ],
)
def test_conditions_on_columns(text: str) -> None:
    """Nothing of the event is left to SPARQL: one verdict for all events."""
    told = _explained(text)
    assert "  transformed: ?e evt:" in told.replace("<http://cei.usc.edu/Event.owl#", "evt:")
    assert "  key: none (one verdict for all events)\n" in told


@pytest.mark.parametrize(
    "text",
    [
        "?e evt:float ?v . FILTER (?v > 0.1)",
        '?e evt:double ?v . FILTER (STR(?v) = "1")',
        '?e evt:double ?v . FILTER (?v IN (1, "a"))',
        "?e evt:double ?v . FILTER (?v)",
        '?e evt:double ?v . FILTER (?v > "a")',
        "?e evt:decimal ?v . FILTER (?v * 2 > 3)",
        "?e evt:integer ?v . FILTER (?v / 2 > 1)",
        "?e evt:flag ?v . FILTER (?v * 2 > 1)",
        '?e evt:text ?v . FILTER (?v = "a"@en)',
        '?e evt:moment ?v . FILTER (?v < "2012-05-07T00:00:00"^^xsd:dateTime)',
        "?e evt:double ?v . hvc:Two hvc:hasValue ?l . FILTER (?v != ?l)",
        "?e evt:text ?v . hvc:Two hvc:hasValue ?l . FILTER (?v > ?l)",
        "?e evt:any ?v . FILTER (?v > 1)",
        "?e evt:double ?v . hvc:Two hvc:hasValue ?v",
        "?e evt:double ?v ; evt:second ?v",
        "?e evt:double 0.0e0",
        "?e evt:integer 1.0",
        '?e evt:text "a"@en',
    ],
)  # fmt: skip
def test_what_sparql_alone_can_say(text: str) -> None:
    """The value is part of the key, and SPARQL decides."""
    told = _explained(text)
    assert "transformed" not in told
    assert "  key: none" not in told


def test_values_that_are_used_outside() -> None:
    """A binding is the column only when its static type is the column's."""
    assert "key: double" in _explained("?e evt:double ?v", ("v",))


def test_one_of_two_values() -> None:
    """A FILTER that cannot be moved keeps its variables; the others go."""
    told = _explained("?e evt:double ?v ; evt:integer ?w . FILTER (?v > 1) FILTER (STRLEN(STR(?w)) > 1)")
    assert "  key: integer (" in told
    assert "column double" in told


def test_several_solutions_are_listed() -> None:
    """A constant with two values stays in SPARQL; the comparison is on the column, with either value."""
    told = _explained("?e evt:double ?v . hvc:Two hvc:hasValue ?l . FILTER (?v > ?l)")
    assert told.endswith('VALUES (?l) { ("1"^^xsd:integer) ("3"^^xsd:integer) } BIND (?l AS ?kaicep_0)')
