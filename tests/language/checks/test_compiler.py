"""Queries as nodes: what downstream stages rely on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kaicep.errors import QueryTypeError
from kaicep.expressions import SIGNATURES
from kaicep.language.checks import compile_document
from kaicep.language.checks.compiler import check_document
from kaicep.language.nodes import (
    Aggregate,
    AllOf,
    AnyOf,
    AttributeType,
    BatchWindow,
    Binding,
    Bounds,
    Column,
    Constant,
    Element,
    Instant,
    Kind,
    Link,
    Query,
    Sequence,
    Subquery,
    ValueType,
    Vocabulary,
)
from support.vocabulary import AIRFLOW, CAMPUS, CAMPUS_TERMS, PREFIXES, TWO_STREAMS, iri

HAS_SOURCE = iri("evt:hasSource")


def compiled(text: str, vocabulary: Vocabulary = CAMPUS) -> Query:
    return compile_document(text, vocabulary)[-1]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT ?e.sensorID", Kind.SELECTION),
        ("SELECT COUNT(?e) WINDOW (?e, sliding, 5min)", Kind.AGGREGATION),
        ("SELECT ?e.sensorID WINDOW (?e, sliding, 5min) HAVING COUNT(?e) > 1", Kind.AGGREGATION),
        ("SELECT ?a.sensorID WINDOW (?a, ?b, 5min)", Kind.PATTERN),
        ("SELECT ?a.sensorID SEQ (?a)", Kind.PATTERN),
    ],
)
def test_kind(text: str, kind: Kind) -> None:
    assert compiled(text).kind is kind


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


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("?e evt:hasSource ?x", ValueType.IRI),
        ("?e hvc:airflow ?x", ValueType.DOUBLE),
        ("?e hvc:flowrate ?x", ValueType.DOUBLE),
        ("?e evt:hasTime ?x", ValueType.DATETIME),
        ("?e evt:hasSource/bd:floor ?x", ValueType.INTEGER),
        ("?e evt:hasSource ?s . ?s rdfs:label ?x", ValueType.STRING),
        ("?e evt:hasSource ?s . ?s bd:note ?x", ValueType.TERM),
        ("?e evt:hasSource ?s . ?x bd:floor ?s", ValueType.IRI),
        ("?e evt:hasSource ?s . ?s ^bd:floor ?x", ValueType.IRI),
        ("?e evt:hasSource ?s . ?s (bd:floor|bd:floor) ?x", ValueType.INTEGER),
        ("?e evt:hasSource ?s . ?s (bd:floor|rdfs:label) ?x", ValueType.TERM),
        ("?e evt:hasSource ?s . ?s bd:hasLocation* ?x", ValueType.IRI),
        ("?e evt:hasSource ?s . ?s bd:floor+ ?x", ValueType.INTEGER),
        ("?e evt:hasSource ?s . ?s bd:floor? ?x", ValueType.TERM),
        ("?e evt:hasSource ?s . ?s ?x 5", ValueType.IRI),
        ("?e a ?x", ValueType.IRI),
        ("?e evt:hasSource ?s OPTIONAL {?s bd:floor ?x}", ValueType.INTEGER),
        ("?e evt:hasSource ?s BIND (5 AS ?x)", ValueType.TERM),
        ("?e bd:floor ?x . ?e rdfs:label ?x", ValueType.TERM),
        ("?e bd:floor ?x . ?e bd:note ?x", ValueType.INTEGER),
    ],
)
def test_types_of_semantic_variables(path: str, expected: ValueType) -> None:
    query = compiled(f"SELECT ?x FROM (?e, airflowReport) PATH {{{path}}}")
    assert query.sources[0].bindings == (("x", expected),)
    assert query.items[0].type is expected


def test_semantics_is_a_tree_of_subqueries() -> None:
    query = compiled(
        "SELECT ?b FROM (?e, airflowReport) PATH {?e a ?a} OR PATH {?e a ?b} AND PATH {?e a ?c} PATH {?e a ?d}"
    )
    match query.sources[0].semantics:
        case AllOf((AnyOf((Subquery() as a, AllOf((Subquery() as b, Subquery() as c)))), Subquery() as d)):
            assert [part.bindings for part in (a, b, c, d)] == [(), ("b",), (), ()]
            assert a.text == f"?e <{iri('rdf:type')}> ?a"
        case other:
            pytest.fail(f"unexpected {other}")


def test_flat_paths_are_broken_into_triples_and_filters() -> None:
    query = compiled("SELECT ?e.sensorID PATH {?e hvc:airflow ?rate . hvc:G hvc:hasValue ?gaf . FILTER (?rate > ?gaf)}")
    path = query.sources[0].semantics
    assert isinstance(path, Subquery)
    assert path.flat
    assert [(str(t.subject), str(t.predicate), str(t.object)) for t in path.triples] == [
        ("e", iri("hvc:airflow"), "rate"),
        (iri("hvc:G"), iri("hvc:hasValue"), "gaf"),
    ]
    assert [(f.text, f.variables) for f in path.filters] == [("( ?rate > ?gaf )", frozenset({"rate", "gaf"}))]


def _path(body: str) -> Subquery:
    path = compiled(f"SELECT ?e.sensorID FROM (?e, airflowReport) PATH {{{body}}}").sources[0].semantics
    assert isinstance(path, Subquery)
    return path


@pytest.mark.parametrize(
    "inner",
    ["OPTIONAL {?s <urn:a> ?x}", "FILTER EXISTS {?s <urn:a> ?x}", "BIND (1 AS ?x)", "{?s <urn:a> ?x}"],
)
def test_nested_parts_stand_behind_the_triples(inner: str) -> None:
    path = _path(f"?e evt:hasSource ?s . FILTER (?s > 1) ?s <urn:b> <urn:c> {inner}")
    assert (path.flat, path.orderly, len(path.triples)) == (False, True, 2)
    assert [f.text for f in path.filters] == ["( ?s > 1 )"]
    assert [(n.text.replace(" ", ""), "x" in n.variables) for n in path.nested] == [(inner.replace(" ", ""), True)]


@pytest.mark.parametrize(
    "body",
    ["OPTIONAL {?s <urn:a> ?x} ?e evt:hasSource ?s", "SELECT ?s {?e evt:hasSource ?s}"],
)
def test_triples_behind_nested_parts_are_not_taken_out(body: str) -> None:
    path = _path(body)
    assert (path.flat, path.orderly, path.triples, path.filters, path.nested) == (False, False, (), (), ())


def test_a_shared_variable_is_a_join_of_bindings() -> None:
    query = compiled(
        "SELECT ?a.sensorID SEQ (?a, ?b) WINDOW (?a, ?b, 5min) "
        "PATH {?a evt:hasSource/bd:hasLocation ?loc . ?b evt:hasSource/bd:hasLocation ?loc}"
    )
    assert [source.bindings for source in query.sources] == [
        (("loc", ValueType.IRI),),
        (("loc_2", ValueType.IRI),),
    ]
    assert [source.columns for source in query.sources] == [("?loc", "sensorID"), ("?loc_2",)]
    [join] = query.joins
    assert [(node.variable, node.name) for node in (join.left, join.right)] == [("a", "loc"), ("b", "loc_2")]  # type: ignore[union-attr]  # a comparison of two bindings
    for source in query.sources:
        assert isinstance(source.semantics, Subquery)
        assert source.semantics.bindings == tuple(name for name, _ in source.bindings)


def test_names_of_two_paths_are_two_variables() -> None:
    """Unused outside, or used under one name only, they do not meet."""
    query = compiled("SELECT ?e.sensorID PATH {?e evt:hasSource ?s} PATH {?e evt:hasSource ?s}")
    assert query.joins == ()
    assert query.sources[0].bindings == ()


def test_items() -> None:
    query = compiled("SELECT ?e.sensorID, AVG(?e.flowrate) > 500 AS avgrate, COUNT(?e) WINDOW (?e, sliding, 5min)")
    assert [(item.name, item.type, item.condition is None) for item in query.items] == [
        ("sensorID", ValueType.STRING, True),
        ("avgrate", ValueType.DOUBLE, False),
        ("count_e", ValueType.INTEGER, True),
    ]
    match query.items[2].value:
        case Aggregate(function="COUNT", variable="e", argument=None):
            pass
        case other:
            pytest.fail(f"unexpected {other}")


def test_the_event_as_an_item_is_its_id() -> None:
    [item] = compiled("SELECT ?e").items
    assert isinstance(item.value, Column)
    assert (item.name, item.value.name, item.type) == ("e", "_id", ValueType.IRI)


def test_output_streams_keep_what_attributes_stand_for() -> None:
    query = compiled("CREATE QUERY high AS SELECT ?e.sensorID AS sensor, ?e.flowrate, ?e.flowrate * 2 AS twice")
    assert query.output.name == "high"
    assert query.output.attributes == (
        AttributeType("sensor", ValueType.STRING, HAS_SOURCE, individual=True),
        AttributeType(
            "flowrate",
            ValueType.DOUBLE,
            iri("hvc:airflow"),
            frozenset({iri("hvc:flowrate")}),
            unit=iri("unit:FT3-PER-MIN"),
        ),
        AttributeType("twice", ValueType.DOUBLE, unit=iri("unit:FT3-PER-MIN")),
        AttributeType("_time", ValueType.DATETIME),
    )
    assert (query.output.event_type, query.output.time) == (None, "_time")


def test_named_queries_carry_the_individuals_of_their_items() -> None:
    named = compiled("CREATE QUERY high AS SELECT ?e.sensorID AS sensor")
    assert [(item.name, item.hidden) for item in named.items] == [("sensor", False), (HAS_SOURCE, True)]
    assert named.sources[0].columns == (HAS_SOURCE, "sensorID")
    assert [item.hidden for item in compiled("SELECT ?e.sensorID AS sensor").items] == [False]


def test_a_later_query_sees_the_output_of_an_earlier_one() -> None:
    queries = compile_document(
        "CREATE QUERY high AS SELECT ?e.sensorID FROM (?e, airflowReport) FILTER (?e.flowrate > 500);"
        "SELECT ?h.evt:hasSource FROM (?h, high) PATH {?h evt:hasSource ?s . ?s a ee:AirflowSensor}",
        TWO_STREAMS,
    )
    assert queries[1].sources[0].stream == queries[0].output
    assert queries[1].sources[0].columns == (HAS_SOURCE,)


def test_retention_bounds_what_no_window_does() -> None:
    text = "SELECT ?a.sensorID SEQ (?a, ?b)"
    with pytest.raises(QueryTypeError, match="without bound"):
        compile_document(text, CAMPUS)
    [query] = compile_document(text, CAMPUS, retention=timedelta(hours=1))
    assert query.retention == timedelta(hours=1)


def test_retention_shortens_no_window() -> None:
    text = "SELECT ?a.sensorID SEQ (?a, ?b) WINDOW (?a, ?b, 2h)"
    [query] = compile_document(text, CAMPUS, retention=timedelta(hours=1))
    assert query.retention is None


def test_bounds_are_inclusive_as_the_paper_has_it() -> None:
    def bounds(text: str) -> Bounds:
        return compiled(f"SELECT ?e.sensorID {text}").bounds

    moment = datetime(2012, 5, 7, 7, tzinfo=UTC)
    assert bounds("").lower == Instant(None, timedelta(0), inclusive=False)
    assert bounds("").upper is None
    assert bounds("WITHIN (2012-05-07T09:00+02:00, now]").lower == Instant(moment, timedelta(0), inclusive=True)
    assert bounds("WITHIN (2012-05-07T09:00+02:00, now]").upper == Instant(None, timedelta(0), inclusive=False)
    assert bounds("WITHIN [now-1h, )").lower == Instant(None, -timedelta(hours=1), inclusive=False)


def test_the_pattern_of_plain_variables() -> None:
    pattern = compiled("SELECT ?a.sensorID SEQ (?a, ?b) WINDOW (?a, ?b, 5min)").pattern
    assert isinstance(pattern, Sequence)
    assert [part.variable for part in pattern.parts if isinstance(part, Element)] == ["a", "b"]
    assert pattern.links == (Link.ANY,)


def test_where_batches_start() -> None:
    def start(text: str) -> object:
        [window] = compiled(f"SELECT COUNT(?e) WINDOW (?e, batch, 5min{text})").windows
        assert isinstance(window, BatchWindow)
        return window.start

    assert start("") is None
    assert start(", START FIRST") == "first"
    assert start(", START 2012-05-07") == datetime(2012, 5, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("?e.battery + 1", ValueType.INTEGER),
        ("?e.battery / 2", ValueType.DOUBLE),
        ("?e.battery * 2.0", ValueType.DOUBLE),
        ("?e.battery % 2", ValueType.INTEGER),
        ("-?e.celsius", ValueType.DOUBLE),
        ("?e.timestamp - ?e.timestamp", ValueType.DURATION),
        ("?e.timestamp - 5min", ValueType.DATETIME),
        ("5min + ?e.timestamp", ValueType.DATETIME),
        ("5min * 2", ValueType.DURATION),
        ("5min / 2min", ValueType.DOUBLE),
        ("-5min", ValueType.DURATION),
        ("?e.valid OR ?e.battery > 5", ValueType.BOOLEAN),
        ("IF(?e.valid, 1, 2.5)", ValueType.DOUBLE),
        ("COALESCE(?e.battery, 5)", ValueType.INTEGER),
        ("SECONDS(?e.timestamp)", ValueType.DOUBLE),
        ("YEAR(?e.timestamp)", ValueType.INTEGER),
        ("STRLEN(?e.sensorID)", ValueType.INTEGER),
        ("STR(?e.battery)", ValueType.STRING),
        ("ABS(?e.battery)", ValueType.INTEGER),
        ("?n + 1", ValueType.DOUBLE),
        ("ee:D105", ValueType.IRI),
        ('"x"@en', ValueType.TERM),
    ],
)
def test_types_of_expressions(expression: str, expected: ValueType) -> None:
    text = f"SELECT {expression} AS x FROM (?e, temperatureReport) PATH {{?e bd:note ?n}}"
    assert compiled(text, TWO_STREAMS).items[0].type is expected


def test_quantities_keep_their_unit() -> None:
    [item] = compiled("SELECT 500 unit:FT3-PER-MIN AS most FROM (?e, airflowReport)").items
    assert isinstance(item.value, Constant)
    assert (item.value.value, item.value.unit) == (500, iri("unit:FT3-PER-MIN"))


def test_aggregates_of_semantic_variables() -> None:
    query = compiled(
        "SELECT COUNT(DISTINCT ?s) AS n FROM (?e, airflowReport) PATH {?e evt:hasSource ?s} WINDOW (?e, sliding, 5min)"
    )
    match query.items[0].value:
        case Aggregate(function="COUNT", argument=Binding(variable="e", name="s"), distinct=True):
            pass
        case other:
            pytest.fail(f"unexpected {other}")


def test_a_bare_event_in_a_path_is_found_without_from() -> None:
    assert [s.variable for s in compiled("SELECT ?e PATH {?e evt:hasSource ?src}").sources] == ["e"]
    assert [s.variable for s in compiled("SELECT ?src PATH {?e evt:hasSource ?src}").sources] == ["e"]


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
