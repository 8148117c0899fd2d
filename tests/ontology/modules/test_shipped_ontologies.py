"""What is shipped is found by what it declares."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.ontology import load_knowledge
from kaicep.ontology.modules import Module
from kaicep.ontology.modules.shipped_ontologies import SHIPPED, shipped_ontologies
from support.ontologies import project, write

OF_ANY_VERSION = {"https://brickschema.org/schema/Brick"}


@pytest.mark.parametrize("file", sorted({*shipped_ontologies().values()}), ids=lambda path: path.name)
def test_the_catalog_says_what_the_files_declare(file: Path) -> None:
    declared = {iri.rstrip("#/") for iri in Module.load(file, SHIPPED).declares}
    assert {iri for iri, path in shipped_ontologies().items() if path == file} - OF_ANY_VERSION == declared


def test_everything_that_a_shipped_ontology_imports_is_shipped() -> None:
    for file in set(shipped_ontologies().values()):
        assert {iri.rstrip("#/") for iri in Module.load(file, SHIPPED).imports} <= shipped_ontologies().keys()


def test_it_answers_an_import_that_the_project_s_own_folders_do_not(tmp_path: Path) -> None:
    text = "<urn:o> a owl:Ontology ; owl:imports <http://www.w3.org/ns/ssn/> ."
    write(tmp_path, {"m.ttl": text, "own/sosa.ttl": "<http://www.w3.org/ns/sosa/> a owl:Ontology ."})
    found = load_knowledge(project(tmp_path, "m.ttl", catalog=("own",), reasoner="none"))
    assert [Path(m.source).name for m in found.modules] == ["m.ttl", "ssn.ttl", "sosa.ttl"]
    assert found.modules[2].source == "own/sosa.ttl"
    assert found.warnings == ()
