"""A patch makes the files consistent that it is applied to."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology import load_knowledge
from kaicep.ontology.repairs import find_repair, sparql_update
from pyoxigraph import RdfFormat, Store
from support.ontologies import project, write

MODEL = {
    "classes.ttl": ":A owl:disjointWith :B . :f a owl:FunctionalProperty . :n rdfs:range xsd:integer .",
    "one.ttl": ':i a :A, :B . :j :f 05, 6 . :k :n "many" .',
    "other.ttl": ":l a :A . :l a :B .",
}


def patch(folder: Path) -> str:
    knowledge = load_knowledge(project(folder, "*.ttl", on_contradiction="warn"))
    return sparql_update(find_repair(knowledge), knowledge.modules)


def test_applied_to_the_model_it_makes_it_consistent(tmp_path: Path) -> None:
    write(tmp_path, MODEL)
    text = patch(tmp_path)
    with pytest.raises(OntologyError):
        load_knowledge(project(tmp_path, "*.ttl"))
    for file in MODEL:
        store = Store()
        store.load(path=tmp_path / file, format=RdfFormat.TURTLE)
        before = len(store)
        store.update(text)
        assert len(store) >= before - 3
        (tmp_path / file).write_bytes(store.dump(format=RdfFormat.TRIG) or b"")
    assert load_knowledge(project(tmp_path, "*.ttl")).contradictions == ()


def test_it_names_files_and_contradictions_and_writes_literals_as_they_are_stated(tmp_path: Path) -> None:
    write(tmp_path, {"m.ttl": ":n rdfs:range xsd:string . :i :n 05 ."})
    lines = patch(tmp_path).splitlines()
    assert "# m.ttl" in lines
    assert any(line.startswith("# x:i has ") and line.endswith("which is no xsd:string") for line in lines)
    (deletion,) = (line for line in lines if line.startswith("DELETE DATA"))
    assert '"05"^^' in deletion


def test_what_has_no_name_is_a_comment(tmp_path: Path) -> None:
    write(tmp_path, {"m.ttl": ':n rdfs:range xsd:integer . [] :n "many" .'})
    text = patch(tmp_path)
    assert "DELETE DATA" not in text
    assert "# by hand, since it has a blank node: _:" in text
