"""The normalised text of a query: one way to write it, and χ-CEP again."""

from __future__ import annotations

import pytest
from kaicep.expressions import SIGNATURES
from kaicep.language.checks import compile_document
from kaicep.language.nodes import Vocabulary, expression_text, normal_text
from support.text_pairs import Case, each_case, outcome
from support.vocabulary import CAMPUS


@each_case("paper")
def test_the_papers_queries(case: Case) -> None:
    """They compile as they stand in the paper, without FROM and WHERE."""
    assert outcome(case.queries()) == case.expected


@each_case("normal")
def test_normal_form(case: Case) -> None:
    assert outcome(case.queries()) == case.expected


@each_case("paper", "normal")
def test_normal_form_is_normal(case: Case) -> None:
    """The normal form is χ-CEP, means the same query, and is its own normal form."""
    before = case.queries()
    for position, query in enumerate(before):
        streams = {**case.vocabulary.streams, **{q.name: q.output for q in before[:position] if q.name}}
        vocabulary = Vocabulary(streams, SIGNATURES, {}, case.vocabulary.terms, case.vocabulary.sources)
        [again] = compile_document(query.normal, vocabulary)
        assert normal_text(again) == again.normal == query.normal
        if query.name is None:  # a named one carries more than its text says
            assert [s.columns for s in again.sources] == [s.columns for s in query.sources]
        assert [sorted(s.bindings) for s in again.sources] == [sorted(s.bindings) for s in query.sources]
        assert [i.type for i in again.items] == [i.type for i in query.items if not i.hidden]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("(?e.flowrate+1)*2 > 5", "((?e.flowrate + 1) * 2) > 5"),
        ("NOT (?e.sensorID IN ('a', 'b'))", 'NOT (?e.sensorID IN ("a", "b"))'),
        ("?e.flowrate > -5e0", "?e.flowrate > -5.0"),
        ("CONTAINS(?e.sensorID, 'a\"b')", 'CONTAINS(?e.sensorID, "a\\"b")'),
        ("?e.evt:hasSource = ee:a", "?e.<http://cei.usc.edu/Event.owl#hasSource> = <{ee}a>"),
    ],
)
def test_expressions(written: str, text: str) -> None:
    """What is inside an operation stands in parentheses; names are resolved."""
    [query] = compile_document(f"SELECT ?e.flowrate FILTER ({written})", CAMPUS)
    [condition] = query.sources[0].filters
    assert expression_text(condition) == text.replace("{ee}", CAMPUS.prefixes["ee"])
