"""Models in another version of Brick than the loaded vocabulary are bridged, and told of."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.ontology import KnowledgeBase, load_knowledge
from kaicep.ontology.modules import Module, bridge_versions
from kaicep.ontology.modules.brick_versions import BRICK
from pyoxigraph import NamedNode
from support.ontologies import PREAMBLE, X, project, write

OLD = "https://brickschema.org/schema/1.1/Brick#"
VOCABULARY = f"""
@prefix brick: <{BRICK}> . @prefix old: <{OLD}> .
<https://brickschema.org/schema/1.5/Brick> a owl:Ontology ; owl:versionInfo "1.5.0" .
brick:AHU a owl:Class . brick:feeds a owl:ObjectProperty . brick:Sensor a owl:Class .
brick:Heat_Sensor a owl:Class ; rdfs:subClassOf brick:Sensor ; brick:isReplacedBy brick:Temperature_Sensor .
brick:Temperature_Sensor a owl:Class .
"""
NAMES = f"@prefix brick: <{BRICK}> . @prefix old: <{OLD}> . "
BETWEEN = "names of Brick 1.1 are taken for those of Brick 1.5.0"


def told(folder: Path, model: str, *modules: str) -> tuple[KnowledgeBase, tuple[str, ...]]:
    write(folder, {"brick.ttl": VOCABULARY, "m.ttl": NAMES + model})
    knowledge = load_knowledge(project(folder, *(modules or ("brick.ttl", "m.ttl"))))
    return knowledge, knowledge.warnings


def is_a(knowledge: KnowledgeBase, individual: str, of: str) -> bool:
    type_ = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    return (
        next(knowledge.store.quads_for_pattern(NamedNode(X + individual), type_, NamedNode(BRICK + of)), None)
        is not None
    )


def test_names_with_a_version_mean_those_without(tmp_path: Path) -> None:
    many = "".join(f":x{number} a old:AHU ." for number in range(6000))
    for _ in range(2):  # found, then remembered
        knowledge, warnings = told(tmp_path, ":i a old:AHU ; old:feeds :j . " + many)
        assert warnings == (f"m.ttl: {BETWEEN}",)
        assert is_a(knowledge, "i", "AHU")
        assert knowledge.store.query(f"ASK {{ <{X}i> <{BRICK}feeds> <{X}j> }}")
        assert knowledge.modules[-1].source == "names of other versions of Brick"


def test_what_brick_replaces_is_below_what_replaces_it(tmp_path: Path) -> None:
    knowledge, warnings = told(tmp_path, ":i a brick:Heat_Sensor . :j a old:Heat_Sensor .")
    assert is_a(knowledge, "i", "Temperature_Sensor")
    assert is_a(knowledge, "j", "Temperature_Sensor")
    assert warnings == (f"m.ttl: {BETWEEN}",)


def test_names_without_a_counterpart_are_told_with_both_versions(tmp_path: Path) -> None:
    _, warnings = told(tmp_path, ":i a old:AHU, old:Gone . :j a old:Lost .")
    assert warnings == (f"m.ttl: {BETWEEN}: 2 of 3 have no counterpart, such as Gone, Lost",)
    _, warnings = told(tmp_path, ":i a brick:AHU, brick:A, brick:B, brick:C, brick:D .")
    assert " ".join(warnings) == (
        "m.ttl: is in another version of Brick than 1.5.0, which is loaded: 4 of 5 have no counterpart, "
        "such as A, B, C …"
    )


def test_what_a_model_declares_itself_needs_no_counterpart(tmp_path: Path) -> None:
    knowledge, warnings = told(tmp_path, "brick:Own a owl:Class . :i a brick:Own, brick:AHU .")
    assert warnings == ()
    assert len(knowledge.modules) == 2, "there is nothing to bridge"


def test_without_a_vocabulary_the_way_to_one_is_told(tmp_path: Path) -> None:
    _, warnings = told(tmp_path, ":i a old:AHU .", "m.ttl")
    assert warnings == ('m.ttl: is in Brick 1.1, and no Brick is loaded: add "brick:1.5" to knowledge.modules',)


@pytest.mark.parametrize(
    "iri", ["https://brickschema.org/schema/1.3/Brick", "https://brickschema.org/schema/1.0.2/BrickFrame"]
)
def test_a_vocabulary_that_is_loaded_answers_for_other_versions(iri: str, tmp_path: Path) -> None:
    _, warnings = told(tmp_path, f"<urn:m> a owl:Ontology ; owl:imports <{iri}> . :i a brick:AHU .")
    assert warnings == (f"m.ttl: imports <{iri}>, for which <https://brickschema.org/schema/1.5/Brick> answers",)


def test_a_model_without_brick_has_no_bridge() -> None:
    modules = [Module.parse("m.ttl", (PREAMBLE + ":i a :A .").encode())]
    found = bridge_versions(modules)
    assert found.module() is None
    assert found.told == ()
