"""Documents to queries as nodes: what downstream stages rely on."""

from __future__ import annotations

import pytest
from kaicep.errors import QueryTypeError
from kaicep.expressions import SIGNATURES
from kaicep.language.checks import compile_document
from kaicep.language.checks.query_compiler import check_document, checked_document
from kaicep.language.nodes import (
    Vocabulary,
)
from support.roads import ROAD, ROADS
from support.text_pairs import Case, cases, each_case
from support.vocabulary import AIRFLOW, CAMPUS, CAMPUS_TERMS, PREFIXES, TWO_STREAMS, iri

HAS_SOURCE = iri("evt:hasSource")


def test_a_later_query_sees_the_output_of_an_earlier_one() -> None:
    queries = compile_document(
        "CREATE QUERY high AS SELECT ?e.sensorID FROM (?e, airflowReport) FILTER (?e.flowrate > 500);"
        "SELECT ?h.evt:hasSource FROM (?h, high) PATH {?h evt:hasSource ?s . ?s a ee:AirflowSensor}",
        TWO_STREAMS,
    )
    assert queries[1].sources[0].stream == queries[0].output
    assert queries[1].sources[0].columns == (HAS_SOURCE,)


def test_prefixes_hold_from_where_they_stand() -> None:
    vocabulary = Vocabulary({"airflowReport": AIRFLOW}, SIGNATURES, {}, CAMPUS_TERMS, ("airflowReport",))
    text = f"PREFIX x: <{PREFIXES['hvc']}> SELECT ?e.x:airflow; PREFIX x: <{PREFIXES['evt']}> SELECT ?e.x:hasTime"
    assert [q.items[0].name for q in compile_document(text, vocabulary)] == ["flowrate", "timestamp"]


def test_every_query_that_can_be_run_is_compiled_as_checked() -> None:
    text = "SELECT ?e.sensorID FILTER (?e.flowrate > 5)"
    assert compile_document(text, CAMPUS) == tuple(query for _, query in check_document(text, CAMPUS))


@each_case("type_errors")
def test_type_errors(case: Case) -> None:
    error = case.message()
    assert str(error) == case.expected
    assert isinstance(error, QueryTypeError)


def test_there_are_enough_wrong_queries() -> None:
    assert len(cases("syntax_errors", "type_errors")) >= 45


def test_a_document_may_declare_contexts_alone() -> None:
    """Who keeps sets asks for the document as a whole."""
    assert compile_document(ROAD, ROADS) == ()
    found = checked_document(ROAD, ROADS)
    assert ([each.name for each in found.sets], found.queries, found.statements) == (["road"], (), ())


def test_sets_and_what_is_said_of_them_hold_from_where_they_stand() -> None:
    text = f"SELECT ?e.id FROM (?e, positions) IN CONTEXT jam; {ROAD}"
    with pytest.raises(QueryTypeError, match="unknown context 'jam'"):
        compile_document(text, ROADS)


def test_statements_without_a_semicolon_are_statements() -> None:
    """Only what says nothing but its items could be meant as one with the change behind it."""
    change = "INITIATE CONTEXT jam FROM (?e, positions)"
    assert len(compile_document(f"{ROAD} {change} SELECT ?e.id FROM (?e, positions) IN CONTEXT jam", ROADS)) == 2
    assert len(compile_document(f"{ROAD} SELECT ?e.id FROM (?e, positions) {change}", ROADS)) == 2
    assert len(compile_document(f"{ROAD} {change} CREATE QUERY q AS SELECT ?e.id FROM (?e, positions)", ROADS)) == 2
