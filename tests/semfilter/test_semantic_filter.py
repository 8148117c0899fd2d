"""The semantic filter: the paper's subqueries, bindings and their types, AND and OR, the cache, hostile values."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from kaicep.annotator import Annotator
from kaicep.config import Settings
from kaicep.errors import QueryTypeError
from kaicep.explain.prefixed_text import with_prefixes
from kaicep.expressions import SIGNATURES
from kaicep.language.checks import compile_document
from kaicep.language.nodes import AllOf, AnyOf, Semantics, Source, ValueType, Vocabulary
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter import SemanticFilter
from kaicep.semfilter.runtime import FilterOptions
from support.plans import explained
from support.prefixes import turtle_head
from support.subqueries import PREFIXES, source, subquery

_CAMPUS = """
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
evt:AirflowReport a owl:Class ; rdfs:subClassOf evt:Event . evt:hasSource a owl:ObjectProperty ; rdfs:range ee:Sensor .
evt:hasTime a owl:DatatypeProperty . ee:sensorID a owl:DatatypeProperty . bd:limit a owl:DatatypeProperty .
hvc:airflow a owl:DatatypeProperty ; rdfs:range xsd:double ; owl:equivalentProperty hvc:flowrate , hvc:airvolume .
bd:FacultyOffice rdfs:subClassOf bd:Office . bd:assignedTo rdfs:subPropertyOf bd:belongsTo .
hvc:GreenOfficeAirflow hvc:hasValue 500 .
ee:s1 a ee:AirflowSensor ; ee:sensorID "D1" ; bd:hasLocation bd:r1 .
ee:s2 a ee:AirflowSensor ; ee:sensorID "D2" ; bd:hasLocation bd:r2 .
ee:s3 a ee:AirflowSensor ; ee:sensorID "D3" ; bd:hasLocation bd:r3 , bd:r1 .
bd:r1 a bd:FacultyOffice ; bd:assignedTo org:EEDepartment ; bd:limit 600 ;
  bd:name "one"@en ; bd:built "2001-02-03T04:05:06+01:00"^^xsd:dateTime .
bd:r2 a bd:MeetingRoom ; bd:belongsTo org:EEDepartment ; bd:limit 700.5 ; bd:open true ;
  bd:pause "PT1M30.5S"^^xsd:dayTimeDuration .
bd:r3 a bd:Office ; bd:belongsTo org:CS ; bd:limit "none" .
"""
_KNOWLEDGE = KnowledgeBase.of_turtle(turtle_head(PREFIXES) + _CAMPUS)
_SETTINGS = Settings.parse(
    {
        "prefixes": PREFIXES,
        "streams": {
            "airflowReport": {
                "event_type": "evt:AirflowReport",
                "time": {"attribute": "timestamp", "property": "evt:hasTime"},
                "identity": ["sensorID", "timestamp"],
                "attributes": {
                    "sensorID": {"property": "evt:hasSource", "key": "ee:sensorID"},
                    "flowrate": {"same_as": "hvc:airflow", "datatype": "xsd:double"},
                    "note": {"datatype": "xsd:string"},
                },
            }
        },
    }
)
_ANNOTATOR = Annotator("airflowReport", _SETTINGS, _KNOWLEDGE)
_STREAM = _ANNOTATOR.stream_type
_VOCABULARY = Vocabulary({_STREAM.name: _STREAM}, SIGNATURES, _SETTINGS.prefixes, _KNOWLEDGE, (_STREAM.name,))
_BY_SENSOR = "sensorID (<http://cei.usc.edu/Event.owl#hasSource>)"
_LOCATED = "?e evt:hasSource ?src . ?src bd:hasLocation ?loc"
_Q4 = """?e evt:hasSource ?src . ?src rdf:type ee:AirflowSensor . ?src bd:hasLocation ?loc .
         ?loc rdf:type bd:Office . ?loc bd:belongsTo org:EEDepartment"""
_Q5 = f"{_Q4} . ?e hvc:airflow ?rate . hvc:GreenOfficeAirflow hvc:hasValue ?gaf . FILTER (?rate > ?gaf)"


def _events(*rows: tuple[str | None, float | None], note: str | None = None) -> pa.Table:
    at = [datetime(2012, 5, 7, tzinfo=UTC) + timedelta(seconds=i) for i in range(len(rows))]
    sensors, rates = [sensor for sensor, _ in rows], pa.array([rate for _, rate in rows], pa.float64())
    notes = pa.array([note] * len(rows), pa.string())
    raw = pa.table({"timestamp": at, "sensorID": pa.array(sensors, pa.string()), "flowrate": rates, "note": notes})
    return _ANNOTATOR.annotate(raw).events


_REPORTS = _events(
    ("D1", 501.0), ("D2", 900.0), ("D1", 500.0), ("D3", 650.0), ("nobody", 700.0), (None, 800.0), ("D1", None)
)


def _filter(
    semantics: Semantics | None, cache_size: int = 100, table_size: int = 100, **bindings: ValueType
) -> SemanticFilter:
    options = FilterOptions(cache_size=cache_size, table_size=table_size)
    return SemanticFilter(source(semantics, bindings), _ANNOTATOR.shape, _KNOWLEDGE, options)


def _rows(tested: SemanticFilter, events: pa.Table = _REPORTS) -> list[int]:
    return [row["_row"] for row in tested.select(events).to_pylist()]


def _compiled(text: str) -> list[Source]:
    return list(compile_document(text, _VOCABULARY)[-1].sources)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (f"SELECT ?e.sensorID FILTER (?e.hvc:airflow > 500) PATH {{{_Q4}}}", [[0, 2, 3, 6]]),
        (f"SELECT ?e.sensorID PATH {{{_Q5}}}", [[0, 3]]),
        (f"SELECT AVG(?e.flowrate) > 500 AS avgrate WINDOW (?e, sliding, 5min) PATH {{{_Q4}}}", [[0, 2, 3, 6]]),
        (
            """SELECT ?e1.sensorID FROM (?e1, airflowReport), (?e2, airflowReport)
            FILTER (?e1.flowrate > 500) JOIN (?e2.sensorID = ?e1.sensorID) JOIN (?e2.flowrate-?e1.flowrate > 50)
            SEQ (?e1, ?e2) WINDOW (?e1, ?e2, 5min)
            PATH {?e1 evt:hasSource ?src1 . ?src1 rdf:type ee:AirflowSensor . ?src1 bd:hasLocation ?loc1 .
            ?loc1 rdf:type bd:Office . ?e2 evt:hasSource ?src2 . ?src2 rdf:type ee:AirflowSensor .
            ?src2 bd:hasLocation ?loc2 . ?loc2 rdf:type bd:MeetingRoom }""",
            [[0, 2, 3, 6], [1]],
        ),
    ],
)
def test_the_papers_semantic_queries(text: str, rows: list[list[int]]) -> None:
    """Queries 4 to 7 (Query 7 with two room types): the events that their semantic subqueries select."""
    found = [
        _rows(SemanticFilter(each, _ANNOTATOR.shape, _KNOWLEDGE, FilterOptions())) for each in _compiled(text)
    ]  # fmt: skip
    assert found == rows


def test_query_5_depends_on_the_sensor_only() -> None:
    """The domain constant is evaluated ahead, the comparison becomes a condition on the column (paper §4.1)."""
    tested = _filter(subquery(_Q5))
    told = explained(tested)
    assert _rows(tested) == [0, 3]
    statistics = tested.statistics[0]
    assert (statistics.events, statistics.keys, statistics.hits, statistics.misses) == (7, 3, 3, 0)
    assert with_prefixes(told, PREFIXES) == "\n".join(
        [
            "PATH of ?e",
            '  pruned: hvc:GreenOfficeAirflow hvc:hasValue ?gaf .: ?gaf = "500"^^xsd:integer',
            "  transformed: ?e hvc:airflow ?rate: column flowrate",
            "  transformed: FILTER (( ?rate > ?gaf )): condition on columns",
            "  key: sensorID (evt:hasSource)",
            "  verdicts: of all individuals, ahead: 2 hold, 2 solutions",
            (
                "  SPARQL: for all ?src: ?src rdf:type ee:AirflowSensor . ?src bd:hasLocation ?loc . "
                "?loc rdf:type bd:Office . ?loc bd:belongsTo org:EEDepartment ."
            ),
        ]
    )


def test_a_limit_that_each_room_has() -> None:
    """What the knowledge says of the sensor's room is found per sensor; the comparison stays on columns."""
    tested = _filter(subquery(f"{_LOCATED} . ?loc bd:limit ?max . ?e hvc:airflow ?rate . FILTER (?rate > ?max * 1.1)"))
    assert _rows(tested) == [1]
    assert tested.statistics[0].misses == 0
    # D3 is in two rooms: 680 > 600 · 1.1 though the other room's limit is no number.
    assert _rows(tested, _events(("D3", 680.0), ("D3", 650.0))) == [0]


def test_solutions_are_projected_to_the_bindings() -> None:
    """Two rooms of a sensor: two rows; with one room under the limit, one."""
    both = _filter(subquery(_LOCATED, ("loc",)), loc=ValueType.IRI)
    selected = both.select(_REPORTS)
    assert [(r["_row"], r["?loc"].rpartition("#")[2]) for r in selected.to_pylist()] == [
        (0, "r1"), (1, "r2"), (2, "r1"), (3, "r1"), (3, "r3"), (6, "r1"),
    ]  # fmt: skip
    text = f"{_LOCATED} . ?loc bd:limit ?max . ?e hvc:airflow ?rate . FILTER (?rate > ?max)"
    over = _filter(subquery(text, ("loc",)), loc=ValueType.IRI).select(_REPORTS)
    assert [(r["_row"], r["?loc"].rpartition("#")[2]) for r in over.to_pylist()] == [(1, "r2"), (3, "r1")]


def test_distinct_bindings_of_different_solutions_stand_once() -> None:
    """Two limits of one room, both exceeded: the room is bound once."""
    knowledge = KnowledgeBase.of_turtle(
        turtle_head(PREFIXES) + 'ee:s1 ee:sensorID "D1" ; bd:hasLocation bd:r1 . bd:r1 bd:limit 1 , 2 , 900 .'
    )
    annotator = Annotator("airflowReport", _SETTINGS, knowledge)
    events = annotator.annotate(_REPORTS.select(["timestamp", "sensorID", "flowrate"])).events
    text = f"{_LOCATED} . ?loc bd:limit ?max . ?e hvc:airflow ?rate . FILTER (?rate > ?max)"
    tested = SemanticFilter(
        source(subquery(text, ("loc",)), {"loc": ValueType.IRI}), annotator.shape, knowledge, FilterOptions()
    )
    assert tested.select(events).column("_row").to_pylist() == [0, 2]


_TYPED = [
    (ValueType.TERM, "bd:limit", "D1", '"600"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    (ValueType.INTEGER, "bd:limit", "D1", 600),
    (ValueType.INTEGER, "bd:limit", "D2", None),
    (ValueType.DOUBLE, "bd:limit", "D1", 600.0),
    (ValueType.DOUBLE, "bd:limit", "D2", 700.5),
    (ValueType.STRING, "bd:limit", "D1", None),
    (ValueType.STRING, "bd:name", "D1", "one"),
    (ValueType.TERM, "bd:name", "D1", '"one"@en'),
    (ValueType.BOOLEAN, "bd:open", "D2", True),
    (ValueType.BOOLEAN, "bd:limit", "D2", None),
    (ValueType.DATETIME, "bd:built", "D1", datetime(2001, 2, 3, 3, 5, 6, tzinfo=UTC)),
    (ValueType.DURATION, "bd:pause", "D2", timedelta(seconds=90.5)),
    (ValueType.IRI, "bd:assignedTo", "D1", "http://cei.usc.edu/Organization.owl#EEDepartment"),
    (ValueType.IRI, "bd:limit", "D1", None),
]


@pytest.mark.parametrize(("kind", "prop", "sensor", "expected"), _TYPED)
def test_bindings_have_their_static_type(kind: ValueType, prop: str, sensor: str, expected: object) -> None:
    """A solution whose value does not fit the type is unbound there."""
    tested = _filter(subquery(f"{_LOCATED} . ?loc {prop} ?x", ("x",)), x=kind)
    assert tested.select(_events((sensor, 1.0))).column("?x").to_pylist() == [expected]


def test_an_event_value_as_binding() -> None:
    """A binding that is an attribute's value is the attribute's column."""
    tested = _filter(
        subquery(f"{_LOCATED} . ?e hvc:flowrate ?rate", ("rate", "loc")), rate=ValueType.DOUBLE, loc=ValueType.IRI
    )
    selected = tested.select(_REPORTS)
    assert selected.column("?rate").to_pylist() == [501.0, 900.0, 500.0, 650.0, 650.0]
    assert selected.column_names[-2:] == ["?rate", "?loc"]
    assert tested.statistics[0].misses == 0


def _office(department: str) -> str:
    return f"{_LOCATED} . ?loc rdf:type bd:Office . ?loc bd:belongsTo org:{department}"


def test_and_or_of_truth_values() -> None:
    ee, cs = subquery(_office("EEDepartment")), subquery(_office("CS"))
    meeting = subquery(f"{_LOCATED} . ?loc a bd:MeetingRoom")
    assert _rows(_filter(AnyOf((cs, meeting)))) == [1, 3]
    assert _rows(_filter(AllOf((cs, ee)))) == [3]
    assert _rows(_filter(AnyOf((meeting, AllOf((cs, ee)))))) == [1, 3]
    assert _rows(_filter(AllOf((AnyOf((meeting, cs)), AnyOf((ee, meeting)))))) == [1, 3]


def test_or_with_bindings() -> None:
    """The union of the branches' solutions; what the other branch binds is null; where both hold, both stand."""
    office = subquery(f"{_LOCATED} . ?loc rdf:type bd:Office", ("loc",))
    limit = subquery("?e evt:hasSource/bd:hasLocation/bd:limit ?max . FILTER (?max > 650)", ("max",))
    plain = subquery(_office("CS"))
    tested = _filter(AnyOf((office, limit, plain)), loc=ValueType.IRI, max=ValueType.DOUBLE)
    rows = tested.select(_REPORTS).select(["_row", "?loc", "?max"]).to_pylist()
    building = "http://cei.usc.edu/Building.owl#"
    assert [(r["_row"], (r["?loc"] or "").removeprefix(building), r["?max"]) for r in rows] == [
        (0, "r1", None), (1, "", 700.5), (2, "r1", None),
        (3, "r1", None), (3, "r3", None), (3, "", None), (6, "r1", None),
    ]  # fmt: skip


def test_and_with_bindings() -> None:
    """Every combination of the parts' solutions; masks of parts that bind nothing apply."""
    rooms = subquery(_LOCATED, ("loc",))
    again = subquery("?e evt:hasSource/bd:hasLocation ?there", ("there",))
    tested = _filter(AllOf((rooms, subquery(_office("CS")), again)), loc=ValueType.IRI, there=ValueType.IRI)
    rows = tested.select(_REPORTS).select(["_row", "?loc", "?there"]).to_pylist()
    assert [(r["_row"], r["?loc"][-2:], r["?there"][-2:]) for r in rows] == [
        (3, "r1", "r1"), (3, "r1", "r3"), (3, "r3", "r1"), (3, "r3", "r3"),
    ]  # fmt: skip


def test_without_paths_events_pass_unchanged() -> None:
    tested = _filter(None)
    assert tested.select(_REPORTS) is _REPORTS
    assert explained(tested) == "no PATH of ?e"
    assert tested.statistics == ()


@pytest.mark.parametrize("text", [_Q5, f"{_LOCATED} FILTER NOT EXISTS {{ ?loc a bd:Office }}", "?e a evt:Other"])
def test_empty_batches(text: str) -> None:
    """No events: no answer, the same columns."""
    tested = _filter(subquery(text + " . " + _LOCATED.replace("?loc", "?x"), ("x",)), x=ValueType.IRI)
    selected = tested.select(_REPORTS.slice(0, 0))
    assert selected.num_rows == 0
    assert selected.schema.names == [*_REPORTS.schema.names, "?x"]


def test_the_cache_may_be_smaller_than_the_batch() -> None:
    """The least recently used verdicts leave; answers do not change."""
    tested, roomy = (_filter(subquery(_Q4), cache_size=size, table_size=0) for size in (2, 100))
    for _ in range(3):
        assert _rows(tested) == _rows(roomy) == [0, 2, 3, 6]
    assert (tested.statistics[0].hits, tested.statistics[0].misses) == (4, 11)
    assert (roomy.statistics[0].hits, roomy.statistics[0].misses) == (10, 5)
    assert _rows(tested, _events(("D1", 1.0), ("D2", 1.0))) == [0]
    assert _rows(tested, _events(("D2", 1.0), ("D1", 1.0))) == [1]
    assert (tested.statistics[0].hits, tested.statistics[0].misses) == (6, 13)


def test_what_no_event_decides_is_evaluated_once() -> None:
    """A PATH about the knowledge alone has one verdict for all events."""
    tested = _filter(subquery("?e a evt:Event . bd:r1 bd:belongsTo org:EEDepartment . bd:r3 bd:limit ?x"))
    assert _rows(tested) == list(range(7))
    assert tested.statistics[0].keys == 1
    assert "key: none (one verdict for all events)" in explained(tested)
    assert "SPARQL: (nothing left)" in explained(tested)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("?e a evt:Fire", "events of airflowReport are no <http://cei.usc.edu/Event.owl#Fire>"),
        (
            f"{_LOCATED} . bd:r1 a bd:MeetingRoom",
            (
                "the knowledge base has no solution of <http://cei.usc.edu/Building.owl#r1> "
                "rdf:type <http://cei.usc.edu/Building.owl#MeetingRoom> ."
            ),
        ),
    ],
)
def test_what_can_never_hold(text: str, why: str) -> None:
    """Known ahead: no event is asked about."""
    tested = _filter(subquery(text))
    assert _rows(tested) == []
    assert tested.statistics[0].keys == 0
    assert f"never holds: {why}" in explained(tested, _KNOWLEDGE.prefixes)


@pytest.mark.parametrize(
    ("text", "rows", "key", "how"),
    [
        ("?e evt:hasSource ?s . FILTER NOT EXISTS { ?s bd:hasLocation ?l . ?l a bd:Office }", [1, 4],
         _BY_SENSOR, "together"),
        ("?e evt:hasSource ?s OPTIONAL { ?s bd:hasLocation ?l } FILTER (!BOUND(?l))", [4],
         _BY_SENSOR, "together"),
        ("{ SELECT (COUNT(?l) AS ?n) { ?e evt:hasSource/bd:hasLocation ?l } } FILTER (?n = 2)", [3],
         _BY_SENSOR, "one by one, because it has a SELECT inside"),
        ("{ SELECT ?e (COUNT(?l) AS ?n) { ?e evt:hasSource/bd:hasLocation ?l } GROUP BY ?e } FILTER (?n = 2)", [3],
         f"the event itself, {_BY_SENSOR}",
         "one by one, because it uses ?e as a value"),
        ("?e hvc:airflow ?r . FILTER (STRENDS(STR(?e), '/D1/1336348800000000'))", [0],
         "the event itself", "one by one, because it uses ?e as a value"),
        ("?other evt:hasSource ee:s2 . ?e hvc:airflow ?r", [1],
         f"the event itself, {_BY_SENSOR}",
         "one by one, because ?other may be the event, too"),
        ("?e evt:hasSource ?s . ?s ^evt:hasSource ?e", [0, 1, 2, 3, 4, 6],
         f"the event itself, {_BY_SENSOR}", "one by one, because ?e is an object"),
        ("?e evt:hasSource ?s . ?s bd:hasLocation* ?l . ?l a bd:MeetingRoom", [1],
         _BY_SENSOR, "together"),
        ('?e evt:hasSource "nobody"', [4], _BY_SENSOR, "together"),
        ("?e evt:hasSource ?s . FILTER (ISLITERAL(?s))", [4], _BY_SENSOR, "together"),
        ("?e evt:hasSource ?s MINUS { ?s bd:hasLocation bd:r1 }", [1, 4],
         _BY_SENSOR, "one by one, because it has a MINUS"),
        ("?e evt:hasSource ?s { OPTIONAL { ?e hvc:airflow ?r } } FILTER (!BOUND(?r))", [6],
         "flowrate (<http://cei.usc.edu/HVAC.owl#airflow>)",
         "one by one, because ?e stands in a nested group"),
    ],
)  # fmt: skip
def test_any_sparql_group(text: str, rows: list[int], key: str, how: str) -> None:
    """What cannot be taken apart is evaluated as it is, together where several events do not disturb each other."""
    tested = _filter(subquery(text))
    assert _rows(tested) == rows
    assert f"  key: {key}\n" in explained(tested)
    assert f"  misses of a batch: {how}\n" in explained(tested)


_HOSTILE = [
    '"', "\\", '\\"', "'", "> . ?x ?y ?z . <",
    "} } UNION { ?e ?p ?o", "\n", "\r\n#", "\x00", "?e", "{}", "%3E", "<urn:x>", "ü☃",
    '"^^<http://www.w3.org/2001/XMLSchema#integer>', "D1",
]  # fmt: skip


@pytest.mark.parametrize("text", [_Q4, f"{_LOCATED} . ?loc a bd:Office . FILTER (?e = ?e)"])
def test_values_never_become_query_text(text: str) -> None:
    """Whatever a sensor is called, it is a value: literals (no such key) or, by template, individuals."""
    events = _events(*((name, 1.0) for name in _HOSTILE))
    assert _rows(_filter(subquery(text)), events) == [len(_HOSTILE) - 1]
    echoed = _filter(subquery("?e evt:hasSource ?s . FILTER (ISLITERAL(?s))", ("s",)), s=ValueType.STRING).select(
        events
    )
    assert echoed.column("?s").to_pylist() == _HOSTILE[:-1]


def test_attributes_without_a_property_are_asked_for_by_their_iri() -> None:
    tested = _filter(subquery('?e <urn:kaicep:attribute:airflowReport:note> "a\\n\\"b"'))
    assert _rows(tested, _events(("D1", 1.0), note='a\n"b')) == [0]
    assert _rows(tested, _events(("D1", 1.0), note="ab")) == []


def test_knowledge_about_single_events() -> None:
    """Event ids are stable, so knowledge may speak of events; then each is asked about by itself."""
    first = _REPORTS.column("_id").to_pylist()[0]
    prefixes = turtle_head(PREFIXES)
    knowledge = KnowledgeBase.of_turtle(f"{prefixes} <{first}> evt:wrong true ; hvc:airflow 3.0e0 .")
    tested = SemanticFilter(
        source(subquery("?e evt:wrong true . ?e hvc:airflow ?r", ("r",)), {"r": ValueType.DOUBLE}),
        _ANNOTATOR.shape,
        knowledge,
        FilterOptions(),
    )
    for _ in range(2):
        assert sorted(tested.select(_REPORTS).column("?r").to_pylist()) == [3.0, 501.0]
    assert "because the knowledge base speaks of events" in explained(tested)


def test_a_path_that_binds_the_event_is_refused() -> None:
    with pytest.raises(QueryTypeError) as caught:
        _filter(subquery("?x evt:hasSource ?s . BIND (?x AS ?e)"))
    assert str(caught.value).startswith("this PATH of ?e cannot be evaluated for one event: ")


def test_filters_share_no_state() -> None:
    """Several filters over one knowledge base, in several threads, see their own events only."""
    before = len(_KNOWLEDGE.store)
    texts = [_Q4, f"{_LOCATED} . ?loc a bd:MeetingRoom", "?e ?p ?o . FILTER (ISLITERAL(?o) && ?o = 900)"]
    expected: list[Any] = [[0, 2, 3, 6], [1], [1]]
    with ThreadPoolExecutor(3) as pool:
        for _ in range(10):
            assert list(pool.map(lambda text: _rows(_filter(subquery(text))), texts)) == expected
    assert len(_KNOWLEDGE.store) == before


def test_a_path_of_length_zero_goes_through_all_nodes() -> None:
    """With both ends free it starts at every node of the graph, and the event's values are such nodes."""
    tested = _filter(subquery("?e evt:hasSource ee:s1 . ?x bd:near* ?y . FILTER (?y = 501)"))
    assert _rows(tested) == [0]


@pytest.mark.parametrize(
    ("switch", "told"),
    [
        ({"compiled": False}, "  rules: off, it is asked as it is written\n"),
        ({"buffer": False, "table_size": 0}, "  misses of a batch: one by one, because the buffer is off\n"),
        ({"cache_size": 0, "table_size": 0}, "  cache: off, every event is evaluated\n"),
        ({"table_size": 0}, "  verdicts: none ahead, because the table is off\n"),
        ({"table_size": 1}, "  verdicts: more than 1 solutions, too many to compute them ahead\n"),
    ],
)
def test_switches_are_explained(switch: dict[str, Any], told: str) -> None:
    tested = source(subquery("?e evt:hasSource ?s . ?s bd:hasLocation ?l"))
    assert told in explained(SemanticFilter(tested, _ANNOTATOR.shape, _KNOWLEDGE, FilterOptions(**switch)))
