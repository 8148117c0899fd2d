"""Why an event is a candidate, and why it was dropped: what people and programs are told."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from kaicep import PipelineError, Project, QueryTypeError
from kaicep.archive.folder_layout import prepare
from kaicep.archive.log import EventLog
from kaicep.explain import explanation_dict, explanation_tree
from kaicep.ontology.proofs import TurtleWriter
from kaicep.pipeline.sources.memory_source import raw_table
from rich.console import Console
from support import letters
from support.reasons import LOCATED, write_campus


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return write_campus(tmp_path_factory.mktemp("why"))


def tell(project: Project, query: str, **values: object) -> list[str]:
    """The lines of the tree below the event, without their guides."""
    event = {"sensor": "D1-flow", "at": "2026-01-01T00:00:00Z", "flow": 430.0, **values}
    found = project.why(f"SELECT ?e.sensor FROM (?e, air) {query}", event)
    return lines(project, found)[1:]


def lines(project: Project, found: Any) -> list[str]:
    console = Console(width=300, highlight=False)
    with console.capture() as capture:
        console.print(explanation_tree(found, TurtleWriter(project.knowledge, found.prefixes)))
    return [line.lstrip("│├└─ ").rstrip() for line in capture.get().splitlines()]


QUANTITIES = {
    "?e.flow > 500 unit:FT3-PER-MIN": "?e.flow is 430 unit:FT3-PER-MIN, 70 below",
    "?e.flow > 300 unit:L-PER-SEC": "?e.flow is 430 unit:FT3-PER-MIN, 300 unit:L-PER-SEC is 635.664 "
    "unit:FT3-PER-MIN, 205.664 below",
    "?e.flow > ?e.litres": "?e.flow is 430 unit:FT3-PER-MIN, ?e.litres is 250 unit:L-PER-SEC, that is 529.72 "
    "unit:FT3-PER-MIN, 99.72 below",
    "?e.flow * 2 > 1000 unit:FT3-PER-MIN": "?e.flow * 2 is 860, 140 below",
    "?e.missing < 3 unit:L-PER-SEC": "?e.missing is unbound",
}


@pytest.mark.parametrize("condition", QUANTITIES)
def test_quantities_are_told_with_their_units(condition: str) -> None:
    litres = {"datatype": "xsd:double", "unit": "unit:L-PER-SEC"}
    attributes = {"flow": litres | {"unit": "unit:FT3-PER-MIN"}, "litres": litres, "missing": litres}
    stream = {"event_type": "<urn:E>", "time": {"attribute": "at"}, "attributes": attributes}
    project = Project.parse({"streams": {"air": stream}})
    event = {"at": "2026-01-01T00:00:00Z", "flow": 430.0, "litres": 250.0}
    told = lines(project, project.why(f"SELECT ?e.flow FROM (?e, air) FILTER ({condition})", event))
    assert told[-1] == f"✗ FILTER ({condition}): {QUANTITIES[condition]}"


def test_the_document_s_own_prefixes_are_used(project: Project) -> None:
    document = """PREFIX kinds: <urn:ee#>
    SELECT ?e.sensor FROM (?e, air) PATH { ?e evt:hasSource ?s . ?s a kinds:AirflowSensor }"""
    found = project.why(document, {"sensor": "D2-temp", "at": "2026-01-01T00:00:00Z"})
    assert found.prefixes == {"kinds": "urn:ee#"}
    assert lines(project, found)[-1] == (
        "✗ kinds:s2 a kinds:AirflowSensor: kinds:s2 is a kinds:Thermometer, no kinds:AirflowSensor; "
        "nearest: both are kinds:Sensor"
    )


def test_a_path_that_holds_is_proved_down_to_the_files(project: Project) -> None:
    told = tell(project, f"PATH {{ {LOCATED} . ?r a bd:Room ; bd:belongsTo org:EE ; bd:partOf bd:hall }}")
    assert told == [
        "✓ a candidate of ?e in query",
        "✓ PATH of ?e",
        '✓ ?e evt:hasSource ee:s1  the event: sensor is "D1-flow", the ee:sensorID of ee:s1, says campus.ttl',
        "✓ ee:s1 bd:hasLocation bd:r1  campus.ttl",
        "✓ bd:r1 a bd:Room  [cax-sco]",
        "bd:r1 a bd:FacultyOffice  campus.ttl",
        "bd:FacultyOffice rdfs:subClassOf bd:Room  [scm-sco]",
        "bd:FacultyOffice rdfs:subClassOf bd:Office  campus.ttl",
        "bd:Office rdfs:subClassOf bd:Room  campus.ttl",
        "✓ bd:r1 bd:belongsTo org:EE  [prp-spo1]",
        "bd:r1 bd:assignedTo org:EE  campus.ttl",
        "bd:assignedTo rdfs:subPropertyOf bd:belongsTo  campus.ttl",
        "✓ bd:r1 bd:partOf bd:hall  [prp-trp]",
        "bd:partOf a owl:TransitiveProperty  campus.ttl",
        "bd:r1 bd:partOf bd:floor  campus.ttl",
        "bd:floor bd:partOf bd:hall  campus.ttl",
    ]


def test_what_follows_of_the_event_itself_is_proved_as_well(project: Project) -> None:
    assert tell(project, "PATH { ?e a evt:Event ; evt:hasOrigin ee:s1 }")[2:] == [
        "✓ ?e a evt:Event  [cax-sco]",
        "<urn:kaicep:event:air/D1-flow/1767225600000000> a evt:Report  the event: every event of air is one",
        "evt:Report rdfs:subClassOf evt:Event  campus.ttl",
        "✓ ?e evt:hasOrigin ee:s1  [prp-spo1]",
        (
            "<urn:kaicep:event:air/D1-flow/1767225600000000> evt:hasSource ee:s1  "
            'the event: sensor is "D1-flow", the ee:sensorID of ee:s1, says campus.ttl'
        ),
        "evt:hasSource rdfs:subPropertyOf evt:hasOrigin  campus.ttl",
    ]


FAILING: dict[str, tuple[str, dict[str, object], str]] = {
    "another class": (
        "PATH { ?e evt:hasSource ?s . ?s a ee:AirflowSensor }",
        {"sensor": "D2-temp"},
        "✗ ee:s2 a ee:AirflowSensor: ee:s2 is a ee:Thermometer, no ee:AirflowSensor; nearest: both are ee:Sensor",
    ),
    "another value": (
        f"PATH {{ {LOCATED} . ?r bd:belongsTo org:ME }}",
        {},
        "✗ bd:r1 bd:belongsTo org:ME: bd:r1 has org:CS and org:EE as bd:belongsTo, not org:ME",
    ),
    "no such property": (
        f"PATH {{ {LOCATED} . ?r bd:capacity ?n }}",
        {},
        (
            "✗ bd:r1 bd:capacity ?n: bd:r1 has no bd:capacity; it has bd:assignedTo, bd:belongsTo, bd:locationOf and "
            "bd:partOf"
        ),
    ),
    "the other way round": (
        "PATH { ?e evt:hasSource ?s . ?s bd:locationOf ?r }",
        {},
        "✗ ee:s1 bd:locationOf ?r: ee:s1 has no bd:locationOf; the other way round, bd:r1 has it",
    ),
    "within a property path": (
        "PATH { ?e evt:hasSource/bd:hasLocation/bd:partOf bd:attic }",
        {},
        "✗ bd:r1 bd:partOf bd:attic: bd:r1 has bd:floor and bd:hall as bd:partOf, not bd:attic",
    ),
    "along a repeated path": (
        "PATH { ?e evt:hasSource/bd:hasLocation ?r . ?r (bd:assignedTo|bd:partOf)+ bd:attic }",
        {},
        "✗ bd:r1 ((bd:assignedTo|bd:partOf))+ bd:attic: no way leads from bd:r1 along ((bd:assignedTo|bd:partOf))+",
    ),
    "an unlinked individual": (
        f"PATH {{ {LOCATED} }}",
        {"sensor": "D1-flew"},
        (
            '✗ "D1-flew" bd:hasLocation ?r: "D1-flew" is no individual: nothing has this ee:sensorID, so sensor is '
            'linked to nothing; nearest: "D1-flow", which is ee:s1'
        ),
    ),
    "nothing in the event": (
        "PATH { ?e evt:hasSource ?s }",
        {"sensor": None},
        "✗ ?e evt:hasSource ?s: the event has no evt:hasSource; it has evt:hasTime and hvc:airflow",
    ),
    "knowledge that nobody has": (
        "PATH { ?e evt:hasSource ?s . hvc:red hvc:limit ?l }",
        {},
        "✗ hvc:red hvc:limit ?l: the knowledge says nothing of hvc:red",
    ),
    "a value that nobody has": (
        "PATH { ?e evt:hasSource ?s . ?any hvc:limit 7 }",
        {},
        "✗ ?any hvc:limit 7: nothing has 7 as hvc:limit; there are 500",
    ),
    "compared with knowledge": (
        "PATH { ?e hvc:airflow ?rate . hvc:green hvc:limit ?l FILTER (?rate > ?l && ?l > 1) }",
        {},
        "✗ FILTER (?rate > ?l): ?rate is 430, ?l is 500, 70 below",
    ),
    "computed": (
        "PATH { ?e hvc:airflow ?rate FILTER (?rate / 10 > 50) }",
        {},
        "✗ FILTER (?rate / 10 > 50): ?rate / 10 is 43, 7 below",
    ),
    "the nearest of several": (
        f"PATH {{ {LOCATED} . ?r bd:belongsTo ?d FILTER (STRLEN(STR(?d)) > 12) }}",
        {},
        "✗ FILTER (STRLEN(STR(?d)) > 12): STRLEN(STR(?d)) is 10, 2 below (the nearest of 2)",
    ),
    "excluded": (
        f"PATH {{ {LOCATED} FILTER NOT EXISTS {{ ?r bd:belongsTo org:CS }} }}",
        {},
        "✗ FILTER NOT EXISTS { ?r bd:belongsTo org:CS }",
    ),
}


@pytest.mark.parametrize("case", FAILING)
def test_the_first_part_of_a_path_that_fails_says_what_is_instead(case: str, project: Project) -> None:
    query, values, expected = FAILING[case]
    told = tell(project, query, **values)
    assert told[:2] == ["✗ no candidate of ?e in query", "✗ PATH of ?e"]
    assert [line for line in told[2:] if line.startswith("✗")] == [expected]


FILTERS = {
    "?e.flow > 500": "✗ FILTER (?e.flow > 500): ?e.flow is 430, 70 below",
    "500 < ?e.flow": "✗ FILTER (500 < ?e.flow): ?e.flow is 430, 70 above",
    "?e.note = 'x'": "✗ FILTER (?e.note = 'x'): ?e.note is unbound",
    "?e.sensor IN ('D1-flaw', 'other')": (
        "✗ FILTER (?e.sensor IN ('D1-flaw', 'other')): ?e.sensor is \"D1-flow\"; nearest: \"D1-flaw\""
    ),
    "?e.flow IN (400, 440)": "✗ FILTER (?e.flow IN (400, 440)): ?e.flow is 430; nearest: 440",
    '?e.at > "2026-01-02"^^xsd:dateTime': (
        '✗ FILTER (?e.at > "2026-01-02"^^xsd:dateTime): ?e.at is 2026-01-01T00:00:00Z, 1 day, 0:00:00 before'
    ),
    "?e.evt:hasSource = ee:s2": "✗ FILTER (?e.evt:hasSource = ee:s2): ?e.evt:hasSource is ee:s1",
    "NOT CONTAINS(?e.sensor, 'flow')": "✗ FILTER (NOT CONTAINS(?e.sensor, 'flow')): ?e.sensor is \"D1-flow\"",
}


@pytest.mark.parametrize("condition", FILTERS)
def test_a_filter_says_by_how_much_it_failed(condition: str, project: Project) -> None:
    assert tell(project, f"FILTER ({condition})") == ["✗ no candidate of ?e in query", FILTERS[condition]]


def test_of_joined_conditions_each_is_judged(project: Project) -> None:
    assert tell(project, "FILTER (?e.flow > 500 AND ?e.flow < 600 AND (?e.flow = 1 OR ?e.flow = 2))")[1:] == [
        "✗ FILTER (?e.flow > 500 AND ?e.flow < 600 AND (?e.flow = 1 OR ?e.flow = 2))",
        "✗ ?e.flow > 500: ?e.flow is 430, 70 below",
        "✓ ?e.flow < 600: ?e.flow is 430, 170 below",
        "✗ any of",
        "✗ ?e.flow = 1: ?e.flow is 430, 429 above",
        "✗ ?e.flow = 2: ?e.flow is 430, 428 above",
    ]


def test_clauses_come_in_the_order_of_the_text(project: Project) -> None:
    found = project.why(
        "SELECT ?e.sensor FROM (?e, air) FILTER (?e.flow > 1) PATH { ?e evt:hasSource ee:s2 } FILTER (?e.flow > 500)",
        {"sensor": "D1-flow", "at": "2026-01-01T00:00:00Z", "flow": 430},
    )
    (candidacy,) = found.candidacies
    assert [(clause.text, clause.holds) for clause in candidacy.clauses] == [
        ("FILTER (?e.flow > 1)", True),
        ("PATH of ?e", False),
        ("FILTER (?e.flow > 500)", False),
    ]
    assert candidacy.failed is candidacy.clauses[1]
    assert not found.holds


def test_a_filter_over_a_semantic_variable_is_asked_of_every_solution(project: Project) -> None:
    told = tell(project, f"PATH {{ {LOCATED} . ?r bd:belongsTo ?d }} FILTER (?d = org:ME)")
    assert told[-1] == "✗ FILTER (?d = org:ME): ?d is org:CS or ?d is org:EE"


def test_the_solution_that_is_told_is_the_one_that_all_filters_let_pass(project: Project) -> None:
    for department in ("CS", "EE"):
        told = tell(project, f"PATH {{ {LOCATED} . ?r bd:belongsTo ?d }} FILTER (?d = org:{department})")
        assert f"✓ bd:r1 bd:belongsTo org:{department}  [prp-spo1]" in told
        assert told[-1] == f"✓ FILTER (?d = org:{department}): ?d is org:{department}"


def test_and_or_optional_and_union_keep_their_form(project: Project) -> None:
    told = tell(
        project,
        f"PATH {{ {LOCATED} OPTIONAL {{ ?r bd:capacity ?n }} }} AND PATH {{ ?e evt:hasSource ee:s2 }} "
        "OR PATH { { ?e evt:hasSource ee:s2 } UNION { ?e evt:hasSource ee:s1 } }",
    )
    marked = [line.split("  ")[0] for line in told]
    assert marked == [
        "✓ a candidate of ?e in query",
        "✓ any of",
        "✗ all of",
        "✓ PATH of ?e",
        "✓ ?e evt:hasSource ee:s1",
        "✓ ee:s1 bd:hasLocation bd:r1",
        "✓ OPTIONAL { ?r bd:capacity ?n }: not there, and need not be",
        "✗ PATH of ?e",
        "✗ ?e evt:hasSource ee:s2: the event has ee:s1 as evt:hasSource, not ee:s2",
        "✓ PATH of ?e",
        "✓ branch 2 of UNION",
        "✓ ?e evt:hasSource ee:s1",
    ]


def test_a_tuple_that_is_no_event_says_why(project: Project) -> None:
    assert tell(project, "", flow="much") == [
        "✗ no candidate of ?e in query",
        "✗ the tuple is no event of air: flow: 'much' is no xsd:double",
    ]


WITHIN = {
    "WITHIN (2026-02-01, )": (
        "✗ WITHIN (2026-02-01, ): the event is of 2026-01-01T00:00:00Z, "
        "WITHIN is from 2026-02-01T00:00:00Z (inclusive) on"
    ),
    "WITHIN (2026-02-01, now]": (
        "✗ WITHIN (2026-02-01, now]: the event is of 2026-01-01T00:00:00Z, "
        "WITHIN is from 2026-02-01T00:00:00Z (inclusive) on"
    ),
    "WITHIN [now, )": "✓ WITHIN [now, ): from now (exclusive) on: that depends on when the query is registered",
}


@pytest.mark.parametrize("within", WITHIN)
def test_within_is_judged_as_far_as_it_is_known(within: str, project: Project) -> None:
    event = {"sensor": "D1-flow", "at": "2026-01-01T00:00:00Z", "flow": 1}
    found = project.why(f"SELECT ?e.sensor FROM (?e, air) {within}", event)
    assert lines(project, found)[2] == WITHIN[within]


def test_now_decides_bounds_that_are_relative_to_it(project: Project) -> None:
    event = {"sensor": "D1-flow", "at": "2026-01-01T00:00:00Z", "flow": 1}
    text = "SELECT ?e.sensor FROM (?e, air) WITHIN [now, )"
    assert project.why(text, event, now=datetime(2025, 12, 31, tzinfo=UTC)).holds
    assert not project.why(text, event, now=datetime(2026, 1, 1, tzinfo=UTC)).holds


PAIR = """SELECT ?a.sensor FROM (?a, air), (?b, air), (?c, door) FILTER (?b.flow > 500)
SEQ (?a, ?b, ?c) WINDOW (?a, ?b, ?c, 5min)"""


def test_every_variable_of_the_stream_is_explained(project: Project) -> None:
    event = {"sensor": "D1-flow", "at": "2026-01-01T00:00:00Z", "flow": 1}
    found = project.why(PAIR, event, stream="air")
    assert [(c.variable, c.holds) for c in found.candidacies] == [("a", True), ("b", False)]
    assert found.holds
    (only,) = project.why(PAIR, event, stream="air", variable="b").candidacies
    assert only.variable == "b"


def test_of_a_document_the_last_query_over_the_stream_is_explained(project: Project) -> None:
    text = """CREATE QUERY high AS SELECT ?e.flow AS flow FROM (?e, air) FILTER (?e.flow > 500) ;
    CREATE QUERY higher AS SELECT ?h.flow FROM (?h, high) FILTER (?h.flow > 600) ;"""
    found = project.why(text, {"sensor": "x", "at": "2026-01-01T00:00:00Z", "flow": 1}, stream="air")
    assert (found.query, found.candidacies[0].variable) == ("high", "e")


def test_an_archived_event_is_explained_by_its_id(project: Project, tmp_path: Path) -> None:
    raw = [{"sensor": "D1-flow", "at": f"2026-01-01T00:00:0{n}Z", "flow": float(n)} for n in range(5)]
    events = project.annotators["air"].annotate(raw_table(raw)).events
    prepare(project.settings.root / "var" / "archive")
    log = EventLog(project.settings.root / "var" / "archive" / "log")
    log.append("air", 0, events)
    log.close()
    event = events["_id"][3].as_py()
    found = project.why("SELECT ?e.flow FROM (?e, air) FILTER (?e.flow > 3)", event)
    assert (found.event, found.attributes["flow"], found.holds) == (event, 3.0, False)
    gone = "urn:kaicep:event:air/D1-flow/1767225609000000"
    with pytest.raises(PipelineError) as raised:
        project.why("SELECT ?e.flow FROM (?e, air)", gone)
    assert str(raised.value) == (
        f"the archive has no event <{gone}>: of stream air it has 5; copy the id from _events of a row"
    )


REFUSED: dict[str, tuple[str, dict[str, object] | str, str | None, str | None, str]] = {
    "neither tuple nor id": (
        "SELECT ?e.flow FROM (?e, air)",
        "D1",
        None,
        None,
        (
            "'D1' is no event: neither a JSON object nor an id: "
            'write {"attribute": value, …}, or an id as _events has it: urn:kaicep:event:<stream>/…'
        ),
    ),
    "which stream": (PAIR, {}, None, None, "which stream is the event of?: add --stream NAME; NAME is air or door"),
    "no such variable": (
        PAIR,
        {},
        "air",
        "c",
        "?c is no event variable over stream 'air': there is ?a, ?b",
    ),
    "not read": (
        "SELECT ?e.flow FROM (?e, air)",
        {},
        "door",
        None,
        "no query of the document reads stream 'door': it reads air; choose with --stream",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_questions_that_cannot_be_answered_say_the_way_out(case: str, project: Project) -> None:
    text, event, stream, variable, message = REFUSED[case]
    with pytest.raises(PipelineError) as raised:
        project.why(text, event, stream=stream, variable=variable)
    assert str(raised.value) == message


def test_a_stream_that_the_project_does_not_have_is_refused(project: Project) -> None:
    with pytest.raises(QueryTypeError) as raised:
        project.why("SELECT ?e.flow FROM (?e, air)", {}, stream="aire")
    assert str(raised.value) == "the project has no stream 'aire': did you mean 'air'?"


def test_programs_get_terms_rules_and_files(project: Project) -> None:
    found = project.why(
        "SELECT ?e.flow FROM (?e, air) PATH { ?e evt:hasSource ?s . ?s a ee:Sensor } FILTER (?e.flow > 500)",
        {"sensor": "D1-flow", "at": "2026-01-01T00:00:00Z", "flow": 430},
    )
    told = json.loads(json.dumps(explanation_dict(found)))
    assert (told["stream"], told["holds"]) == ("air", False)
    (candidacy,) = told["candidacies"]
    assert candidacy["failed"] == 1
    path, condition = candidacy["clauses"]
    assert condition == {
        "kind": "clause",
        "text": "FILTER (?e.flow > 500)",
        "holds": False,
        "note": "?e.flow is 430, 70 below",
    }
    a = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    (proof,) = path["parts"][1]["proofs"]
    assert proof == {
        "triple": ["<urn:ee#s1>", a, "<urn:ee#Sensor>"],
        "rule": "cax-sco",
        "premises": [
            {"triple": ["<urn:ee#s1>", a, "<urn:ee#AirflowSensor>"], "origin": "module", "sources": ["campus.ttl"]},
            {
                "triple": [
                    "<urn:ee#AirflowSensor>",
                    "<http://www.w3.org/2000/01/rdf-schema#subClassOf>",
                    "<urn:ee#Sensor>",
                ],
                "origin": "module",
                "sources": ["campus.ttl"],
            },
        ],
    }


CONTEXTS = """CREATE CONTEXTS mood (calm DEFAULT, busy) BY group;
INITIATE CONTEXT busy (?e.name AS by) FROM (?e, letters) FILTER (?e.kind = 'b');
SELECT ?e.name FROM (?e, letters) IN CONTEXT busy AS ?w FILTER (?e.kind = 'c') FILTER (?w.by != ?e.name)"""


@pytest.mark.parametrize(
    ("group", "holds", "note"),
    [
        ("left", True, "in the partition of ?e.group = left, if one holds at 2012-05-04T09:30:00Z"),
        (None, False, "?e.group is unbound: the event is in no context"),
    ],
)
def test_where_an_event_lies_is_told(group: str | None, holds: bool, note: str) -> None:
    event = {"name": "c1", "kind": "c", "at": "2012-05-04T09:30:00Z", "group": group}
    (found,) = letters.project().why(CONTEXTS, event, stream="letters").candidacies
    assert found.holds is holds
    (said,) = [clause for clause in found.clauses if clause.text == "IN CONTEXT busy of mood"]
    assert said.note is not None
    assert said.note.startswith(note)
