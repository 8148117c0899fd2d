"""The Brick model of ROBOD's rooms."""

from __future__ import annotations

import polars as pl
import pytest
from kaicep.config import Settings
from kaicep.examples.robod.model import ROOMS_FILE, build_model
from kaicep.examples.robod.readings import DATA, load_points
from kaicep.ontology import KnowledgeBase
from pyoxigraph import Literal, NamedNode, QuerySolutions
from support.robod import EXAMPLE, knowledge

pytestmark = pytest.mark.xdist_group("robod")

ROBOD = "https://example.org/robod#"
BRICK = "https://brickschema.org/schema/Brick#"


@pytest.fixture(name="knowledge")
def _knowledge() -> KnowledgeBase:
    return knowledge()


def _rows(knowledge: KnowledgeBase, pattern: str) -> list[tuple[str, ...]]:
    """Distinct solutions, sorted: variables in alphabetical order, IRIs without the model's namespace."""
    prefixes = "".join(f"PREFIX {k}: <{v}> " for k, v in Settings.load(EXAMPLE).prefixes.items())
    solutions = knowledge.store.query(f"{prefixes} SELECT DISTINCT * {{ {pattern} }}")
    assert isinstance(solutions, QuerySolutions)
    names = sorted(variable.value for variable in solutions.variables)
    return sorted(tuple(_text(solution[name]) for name in names) for solution in solutions)


def _text(term: object) -> str:
    assert isinstance(term, NamedNode | Literal)
    return term.value.removeprefix(ROBOD)


def test_the_committed_model_is_what_the_tables_give() -> None:
    assert ROOMS_FILE.read_text(encoding="utf-8") == build_model()


def test_every_point_of_the_stream_is_a_point_of_something_in_its_unit(knowledge: KnowledgeBase) -> None:
    rows = _rows(knowledge, "?a a brick:Point ; brick:isPointOf ?b ; brick:hasUnit ?c")
    assert [row[0] for row in rows] == sorted(load_points()["point"])


def test_points_have_the_published_class_and_unit(knowledge: KnowledgeBase) -> None:
    prefixes = Settings.load(EXAMPLE).prefixes
    typed = set(_rows(knowledge, "?a a ?b FILTER (isIRI(?a) && isIRI(?b))"))
    united = set(_rows(knowledge, "?a brick:hasUnit ?b FILTER (isIRI(?a))"))
    for point in load_points().to_dicts():
        unit = point["qudt_unit"].replace("unit:", prefixes["unit"])
        assert (point["point"], unit) in united
        if point["brick_class"]:
            assert (point["point"], point["brick_class"].replace("brick:", prefixes["brick"])) in typed


def test_rooms_have_what_the_publisher_says_of_them(knowledge: KnowledgeBase) -> None:
    pattern = """?a a brick:Room ; robod:occupants ?b ; robod:seats ?c ; brick:area [ brick:value ?d ] .
                 [] brick:hasPart ?a ; a brick:Floor ; rdfs:label ?e ."""
    rooms = pl.read_csv(DATA / "robod_rooms.csv").to_dicts()
    expected = [
        (r["room"], r["occupants"], str(r["seats"]), str(r["floor_area_m2"]), f"Level {r['level']}") for r in rooms
    ]
    assert _rows(knowledge, pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?a a robod:Lecture_Room", [("room1",), ("room2",)]),
        ("?a a rec:Classroom", [("room1",), ("room2",)]),
        ("?a a brick:Office", [("room3",)]),
        ("?a brick:feeds ?b . ?b brick:feeds ?c . ?c brick:hasPart ?d",
         [("room3_ahu", "room3_vav", "room3_zone", "room3")]),
        ("?a a brick:FCU ; brick:feeds ?b . ?b a brick:HVAC_Zone ; brick:hasPart ?c",
         [("room1_fcu", "room1_zone", "room1"), ("room2_fcu", "room2_zone", "room2")]),
        ("?a a brick:Discharge_Air_Flow_Sensor ; brick:isPointOf ?b", [("room3_supply_air_flow", "room3_vav")]),
        ("?a brick:hasPoint ?b . ?a a brick:Filter", [("room3_ahu_filter", "room3_pressure_across_filter")]),
        ("?a brick:hasLocation robod:room1 ; a ?b . FILTER (?b IN (brick:Lighting_System, robod:Plug_Loads))",
         [("room1_lighting", BRICK + "Lighting_System"), ("room1_plug_loads", "Plug_Loads")]),
        ("?a brick:isPointOf robod:weather_station ; a brick:CO2_Sensor", [("outdoor_co2",)]),
    ],
)  # fmt: skip
def test_the_closed_knowledge_answers_as_the_building_is(
    knowledge: KnowledgeBase, pattern: str, expected: list[tuple[str, ...]]
) -> None:
    assert _rows(knowledge, pattern) == expected
