"""Published ontologies: Brick 1.5.0 with the model of a real building; SOSA, SSN, OWL-Time, ORG and SAREF."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.ontology import KnowledgeBase, load_knowledge
from pyoxigraph import QuerySolutions

pytestmark = pytest.mark.xdist_group("soda")  # what they know is closed once
ROOT = Path(__file__).resolve().parents[2]
BRICK = "https://brickschema.org/schema/Brick#"
MODULES = ["ontologies/brick/Brick-1.5.0.ttl", "examples/soda/data/soda_brick.ttl"]


@pytest.fixture(scope="module")
def soda() -> KnowledgeBase:
    knowledge = {"modules": MODULES, "catalog": ["ontologies/brick"]}
    return load_knowledge(Settings.parse({"knowledge": knowledge}, root=ROOT))


def test_imports_that_the_catalog_declares_resolve(soda: KnowledgeBase) -> None:
    bridge = "names of other versions of Brick"
    assert [module.source for module in soda.modules] == [*MODULES, "ontologies/brick/imports.ttl", bridge]


def test_the_version_of_a_model_is_told_beside_that_of_the_vocabulary(soda: KnowledgeBase) -> None:
    """The model of 2018 has the namespace of its version in a few names, of which four are gone since."""
    (told,) = soda.warnings
    assert told.startswith(f"{MODULES[1]}: names of Brick 1.0.2 are taken for those of Brick 1.5.0: 4 of 43 have no ")


def count(knowledge: KnowledgeBase, pattern: str) -> int:
    query = f"PREFIX brick: <{BRICK}> SELECT (COUNT(DISTINCT ?x) AS ?n) {{ {pattern} }}"
    solutions = knowledge.store.query(query)
    assert isinstance(solutions, QuerySolutions)
    return int(next(iter(solutions))["n"].value)


def test_equivalent_and_more_general_classes_of_brick_hold_for_the_sensors(soda: KnowledgeBase) -> None:
    """242 are stated to be Supply_Air_Flow_Sensors, 7 to measure other air."""
    assert count(soda, "?x a brick:Supply_Air_Flow_Sensor") == 242
    assert count(soda, "?x a brick:Discharge_Air_Flow_Sensor") == 242
    assert count(soda, "?x a brick:Air_Flow_Sensor") == 249
    assert count(soda, "?x a brick:Air_Flow_Sensor , brick:Sensor , brick:Point") == 249
    assert BRICK + "Discharge_Air_Flow_Sensor" in soda.equivalents(BRICK + "Supply_Air_Flow_Sensor")
    assert {BRICK + "Sensor", BRICK + "Point"} <= soda.superclasses(BRICK + "Supply_Air_Flow_Sensor")


def test_inverse_properties_of_brick_hold_for_the_building(soda: KnowledgeBase) -> None:
    """The model says `VAV hasPoint sensor` and `AHU feeds VAV`; a query may ask the other way round."""
    assert count(soda, "?x a brick:VAV . ?sensor a brick:Air_Flow_Sensor ; brick:isPointOf ?x") == 227
    assert count(soda, "?x a brick:VAV ; brick:isFedBy/a brick:Air_Handler_Unit") == 240


@pytest.mark.long
@pytest.mark.parametrize("strict", [True, False])
def test_brick_loads_as_it_is_published(strict: bool) -> None:
    """What it imports is answered by what kaicep ships, without a catalog of the project."""
    settings = Settings.parse({"knowledge": {"modules": MODULES[:1], "strict_imports": strict}}, root=ROOT)
    knowledge = load_knowledge(settings)
    assert [Path(module.source).name for module in knowledge.modules] == ["Brick-1.5.0.ttl", "imports.ttl"]
    assert knowledge.warnings == ()


STANDARDS = ["ssn/ssn.ttl", "time/time.ttl", "org/org.ttl", "saref/saref-2.1.2.ttl"]
FACTS = """
@prefix sosa: <http://www.w3.org/ns/sosa/> . @prefix ssn: <http://www.w3.org/ns/ssn/> .
@prefix time: <http://www.w3.org/2006/time#> . @prefix org: <http://www.w3.org/ns/org#> .
@prefix saref: <https://w3id.org/saref#> . @prefix : <urn:x#> .
:platform ssn:inDeployment :campaign . :sensor ssn:hasDeployment :campaign ; ssn:implements :method .
:observation a sosa:Observation ; sosa:madeBySensor :sensor .
:monday time:before :tuesday . :tuesday time:before :friday .
:unit org:unitOf :faculty . :faculty org:subOrganizationOf :university . :head org:headOf :unit .
:thermostat a saref:TemperatureSensor .
"""
FOLLOWS = {
    "SOSA": ":sensor sosa:madeObservation :observation ; a sosa:Sensor",
    "SSN": ":platform sosa:hosts :sensor . :observation sosa:usedProcedure :method",
    "OWL-Time": ":monday time:before :friday . :friday time:after :monday",
    "ORG": ":unit a org:OrganizationalUnit . :faculty org:transitiveSubOrganizationOf :university",
    "ORG, of people": ":head org:memberOf :unit . :unit org:hasMember :head",
    "SAREF": ":thermostat a saref:FunctionRelated . saref:Comfort saref:isAccomplishedBy :thermostat",
}


@pytest.fixture(scope="module")
def standards(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    facts = tmp_path_factory.mktemp("facts") / "facts.ttl"
    facts.write_text(FACTS)
    modules = [f"ontologies/{name}" for name in STANDARDS] + [str(facts)]
    knowledge = {"modules": modules, "catalog": ["ontologies/sosa"]}
    return load_knowledge(Settings.parse({"knowledge": knowledge}, root=ROOT))


def test_standards_load_together_with_what_they_import(standards: KnowledgeBase) -> None:
    assert "ontologies/sosa/sosa.ttl" in [module.source for module in standards.modules]


@pytest.mark.parametrize("standard", FOLLOWS)
def test_what_standards_say_of_facts_follows(standard: str, standards: KnowledgeBase) -> None:
    prefixes = FACTS.split(":platform", maxsplit=1)[0].replace("@prefix", "PREFIX").replace("> .", ">")
    assert bool(standards.store.query(f"{prefixes} ASK {{ {FOLLOWS[standard]} }}"))
