"""The campus: committed file and generator agree, and every query of the paper has something to find."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.examples.campus.generate import ATTRIBUTES, BUILDINGS, HERE, app, individuals, readings, rooms
from kaicep.ontology import KnowledgeBase, load_knowledge
from pyoxigraph import QuerySolutions
from typer.testing import CliRunner

WINDOW = timedelta(minutes=5)
COUNT = 10_000
Event = tuple[datetime, str, float]

IN_OFFICES_OF_EE = "?loc a bd:Office ; bd:belongsTo org:EEDepartment"
IN_MEETING_ROOMS = "?loc a bd:MeetingRoom"


@pytest.fixture(scope="module")
def knowledge() -> KnowledgeBase:
    return load_knowledge(Settings.load(HERE))


@pytest.fixture(scope="module")
def events() -> list[Event]:
    return [event(reading) for reading in readings(COUNT)]


def event(reading: dict[str, str | float]) -> Event:
    time, sensor = reading["timestamp"], reading["sensorID"]
    (flow,) = (reading[name] for name in ATTRIBUTES if name in reading)
    return datetime.fromisoformat(str(time)), str(sensor), float(flow)


def select(knowledge: KnowledgeBase, pattern: str) -> set[str]:
    """What `?x` is, as text, with the project's prefixes."""
    solutions = knowledge.store.query(f"SELECT ?x {{ {pattern} }}", prefixes=Settings.load(HERE).prefixes)
    assert isinstance(solutions, QuerySolutions)
    return {str(solution["x"].value).rsplit("#", 1)[-1] for solution in solutions}


def sensors(knowledge: KnowledgeBase, location: str) -> set[str]:
    return select(knowledge, f"?s a ee:AirflowSensor ; ee:sensorID ?x ; bd:hasLocation ?loc . {location}")


def test_the_committed_campus_is_what_the_generator_gives() -> None:
    assert (HERE / "individuals.ttl").read_text(encoding="utf-8") == individuals()


def test_another_seed_gives_another_campus() -> None:
    assert individuals(8) != individuals(7)
    assert list(readings(50, 8)) != list(readings(50, 7))


def test_the_commands_write_what_the_functions_give(tmp_path: Path) -> None:
    runner = CliRunner()
    campus, stream = tmp_path / "campus.ttl", tmp_path / "in" / "readings.jsonl"
    assert runner.invoke(app, ["individuals", "--out", str(campus), "--seed", "3"]).exit_code == 0
    assert runner.invoke(app, ["readings", "--out", str(stream), "--count", "25"]).exit_code == 0
    assert campus.read_text(encoding="utf-8") == individuals(3)
    assert [json.loads(line) for line in stream.read_text(encoding="utf-8").splitlines()] == list(readings(25))


def test_every_building_has_fifty_sensors(knowledge: KnowledgeBase) -> None:
    assert len(BUILDINGS) >= 20
    for code in BUILDINGS:
        assert len(select(knowledge, f"?x a ee:Sensor ; bd:isIn bd:{code}")) == 50
    assert len(rooms()) == len(sensors(knowledge, "")) == 40 * len(BUILDINGS)


def test_figure_2_of_the_paper(knowledge: KnowledgeBase) -> None:
    sensor = knowledge.keys("http://cei.usc.edu/Equipment.owl#sensorID").individuals["D105VOL"]
    assert sensor == "http://cei.usc.edu/Equipment.owl#D105VOLUME"
    assert "D105VOLUME" in select(knowledge, "?x a ee:AirflowSensor ; bd:hasLocation bd:RTH105")
    assert "RTH105" in select(knowledge, "?x a bd:Office ; bd:isPartOf bd:RTH ; bd:belongsTo org:EEDepartment")


def test_no_room_is_stated_to_be_what_queries_ask_for() -> None:
    text = individuals()
    assert not any(f" a bd:{kind} " in text for kind in ("Office", "MeetingRoom", "LectureHall", "Lab", "Room"))
    assert text.count("bd:assignedTo") > 300
    assert text.count("bd:belongsTo") > 300


def test_units_belong_to_what_they_are_part_of(knowledge: KnowledgeBase) -> None:
    offices = select(knowledge, "?x a bd:Office ; bd:belongsTo org:EEDepartment")
    assert offices < select(knowledge, "?x a bd:Office ; bd:belongsTo org:EngineeringSchool")
    assert "EEDepartment" in select(knowledge, "?x org:partOf org:USC ; bd:belongsTo org:EngineeringSchool")


def test_every_term_of_the_ontologies_has_a_label_and_a_comment(knowledge: KnowledgeBase) -> None:
    kinds = "VALUES ?kind { owl:Class owl:ObjectProperty owl:DatatypeProperty owl:AnnotationProperty } ?x a ?kind"
    own = "FILTER(STRSTARTS(STR(?x), 'http://cei.usc.edu/'))"
    bare = "FILTER NOT EXISTS { ?x rdfs:label ?label ; rdfs:comment ?comment }"
    assert len(select(knowledge, f"{kinds} {own}")) > 80
    assert select(knowledge, f"{kinds} {own} {bare}") == set()


def test_readings_come_in_time_order_and_each_sensor_about_once_a_minute(events: list[Event]) -> None:
    assert len(events) == COUNT
    assert [time for time, _, _ in events] == sorted(time for time, _, _ in events)
    of_one = [time for time, sensor, _ in events if sensor == "D105VOL"]
    gaps = {round((b - a).total_seconds()) for a, b in itertools.pairwise(of_one)}
    assert len(of_one) >= 10
    assert gaps <= set(range(56, 65))
    assert all((flow * 2).is_integer() and flow > 0 for _, _, flow in events)


def test_a_share_of_the_sensors_names_the_flow_rate_otherwise() -> None:
    named = {str(r["sensorID"]): name for r in readings(COUNT) for name in ATTRIBUTES if name in r}
    shares = {name: sum(other == name for other in named.values()) / len(named) for name in ATTRIBUTES}
    assert shares == pytest.approx({"flowrate": 0.7, "airvolume": 0.2, "airflow": 0.1}, abs=0.05)


def averages_above_500(events: list[Event]) -> int:
    first, total, found = 0, 0.0, 0
    for position, (time, _, flow) in enumerate(events):
        total += flow
        while events[first][0] <= time - WINDOW:
            total -= events[first][2]
            first += 1
        found += total / (position - first + 1) > 500
    return found


def rises(events: list[Event]) -> Iterator[str]:
    of_sensor: dict[str, list[Event]] = {}
    for one in events:
        of_sensor.setdefault(one[1], []).append(one)
    for sensor, its_events in of_sensor.items():
        for n, (time, _, flow) in enumerate(its_events):
            later = (e for e in its_events[n + 1 :] if e[0] - time <= WINDOW)
            yield from (sensor for e in later if flow > 500 and e[2] - flow > 50)


def test_the_seven_queries_find_something_and_leave_something(knowledge: KnowledgeBase, events: list[Event]) -> None:
    offices, meeting_rooms = sensors(knowledge, IN_OFFICES_OF_EE), sensors(knowledge, IN_MEETING_ROOMS)
    in_offices = [one for one in events if one[1] in offices]
    high = [one for one in events if one[2] > 500]
    query_3 = list(rises(events))
    assert 0 < len(high) < len(events)
    assert 0 < averages_above_500(events) < len(events)
    assert len(query_3) > 0
    assert 0 < sum(one[1] in offices for one in high) < len(in_offices)
    assert 0 < averages_above_500(in_offices) < len(in_offices)
    assert 0 < sum(sensor in meeting_rooms for sensor in query_3) < len(query_3)


def test_the_queries_are_the_papers() -> None:
    """Seven files, each with a comment that says what it reports; nothing else is added to the paper's text."""
    texts = [(HERE / "queries" / f"query{n}.chi").read_text(encoding="utf-8") for n in range(1, 8)]
    for number, text in enumerate(texts, start=1):
        comments = [line for line in text.splitlines() if line.startswith("#")]
        assert comments[0].startswith(f"# Query {number}: ")
        assert not {"FROM", "WHERE", "PREFIX", "WITHIN"} & set(text.split())


def test_workload_w_is_the_same_campus(tmp_path: Path) -> None:
    """With the bridging module a query for the EEDepartment finds the offices of W's `org:EE`, and no others."""
    (tmp_path / "kb.ttl").write_text(
        "@prefix bd: <http://cei.usc.edu/Building.owl#> . @prefix ee: <http://cei.usc.edu/Equipment.owl#> . "
        "@prefix org: <http://cei.usc.edu/Organization.owl#> . "
        "org:EE a org:Department ; org:partOf org:Engineering . org:CS a org:Department ; org:partOf org:Engineering . "
        "bd:r0 a bd:HomeOffice ; bd:assignedTo org:EE . bd:r1 a bd:StaffOffice ; bd:belongsTo org:CS . "
        "bd:r2 a bd:WetLab ; bd:belongsTo org:EE . "
        'ee:s0 a ee:AirflowSensor ; ee:sensorID "s0" ; bd:hasLocation bd:r0 . '
        'ee:s1 a ee:AirflowSensor ; ee:sensorID "s1" ; bd:hasLocation bd:r1 . '
        'ee:s2 a ee:AirflowSensor ; ee:sensorID "s2" ; bd:hasLocation bd:r2 .',
        encoding="utf-8",
    )
    ontologies = HERE.parents[1] / "ontologies" / "campus"
    modules = [str(ontologies / "*.ttl"), "kb.ttl", str(HERE / "workload.ttl")]
    knowledge = load_knowledge(Settings.parse({"knowledge": {"modules": modules}}, root=tmp_path))
    assert sensors(knowledge, IN_OFFICES_OF_EE) == {"s0"}
    assert {"s0", "s1"} == sensors(knowledge, "?loc a bd:Office ; bd:belongsTo org:EngineeringSchool")


def test_hermit_finds_the_campus_ontologies_consistent_too() -> None:
    modules = str(HERE.parents[1] / "ontologies" / "campus" / "*.ttl")
    knowledge = load_knowledge(Settings.parse({"knowledge": {"modules": [modules], "reasoner": "hermit"}}))
    assert len(knowledge.modules) == 5
