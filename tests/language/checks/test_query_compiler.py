"""Documents to queries as nodes: what downstream stages rely on."""

from __future__ import annotations

from kaicep.errors import QueryTypeError
from kaicep.expressions import SIGNATURES
from kaicep.language.checks import compile_document
from kaicep.language.checks.query_compiler import check_document
from kaicep.language.nodes import (
    ValueType,
    Vocabulary,
)
from support.text_pairs import Case, cases, each_case
from support.vocabulary import AIRFLOW, CAMPUS, CAMPUS_TERMS, PREFIXES, TWO_STREAMS, compiled, iri

HAS_SOURCE = iri("evt:hasSource")


def test_columns_are_those_needed_after_selection() -> None:
    """What only FILTERs use is not listed; bindings are listed as `?name`."""
    query = compiled(
        "SELECT ?a.sensorID, ?loc PATH {?a evt:hasSource/bd:hasLocation ?loc . ?loc bd:area ?area} "
        "FILTER (?a.flowrate > ?area) JOIN (?a.evt:hasSource = ?b.evt:hasSource) WINDOW (?a, ?b, 5min)"
    )
    first, second = query.sources
    assert first.columns == tuple(sorted(["sensorID", "?loc", HAS_SOURCE]))
    assert first.bindings == (("loc", ValueType.IRI), ("area", ValueType.DOUBLE))
    assert second.columns == (HAS_SOURCE,)
    assert second.bindings == ()


def test_columns_of_partition_group_and_having() -> None:
    query = compiled(
        "SELECT COUNT(?e) WINDOW (?e, sliding, 5min) GROUP BY ?e.sensorID HAVING MAX(?e.timestamp) > ?e._time"
    )
    assert query.sources[0].columns == ("sensorID", "timestamp")
    query = compiled("SELECT ?a.flowrate SEQ (?a, ?b) WINDOW (?a, ?b, 5min) PARTITION BY sensorID")
    assert [source.columns for source in query.sources] == [("flowrate", "sensorID"), ("sensorID",)]
    assert query.partition_by == ((("a", "sensorID"), ("b", "sensorID")),)


def test_a_later_query_sees_the_output_of_an_earlier_one() -> None:
    queries = compile_document(
        "CREATE QUERY high AS SELECT ?e.sensorID FROM (?e, airflowReport) FILTER (?e.flowrate > 500);"
        "SELECT ?h.evt:hasSource FROM (?h, high) PATH {?h evt:hasSource ?s . ?s a ee:AirflowSensor}",
        TWO_STREAMS,
    )
    assert queries[1].sources[0].stream == queries[0].output
    assert queries[1].sources[0].columns == (HAS_SOURCE,)


def test_knowledge_is_optional() -> None:
    vocabulary = Vocabulary({"airflowReport": AIRFLOW}, SIGNATURES, PREFIXES, None, ("airflowReport",))
    query = compiled("SELECT ?l PATH {?e evt:hasSource/rdfs:label ?l . ?e bd:unheardOf 5}", vocabulary)
    assert query.warnings == ()
    assert query.sources[0].bindings == (("l", ValueType.TERM),)


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
