"""A statement to a query as nodes: which columns of candidates it needs, and what knowledge adds."""

from __future__ import annotations

from kaicep.expressions import SIGNATURES
from kaicep.language.nodes import ValueType, Vocabulary
from support.vocabulary import AIRFLOW, PREFIXES, compiled, iri

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


def test_knowledge_is_optional() -> None:
    vocabulary = Vocabulary({"airflowReport": AIRFLOW}, SIGNATURES, PREFIXES, None, ("airflowReport",))
    query = compiled("SELECT ?l PATH {?e evt:hasSource/rdfs:label ?l . ?e bd:unheardOf 5}", vocabulary)
    assert query.warnings == ()
    assert query.sources[0].bindings == (("l", ValueType.TERM),)
