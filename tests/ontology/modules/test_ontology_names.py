"""The ontologies that a project may list by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology import load_knowledge
from kaicep.ontology.modules import Module
from kaicep.ontology.modules.ontology_names import find_named, named_ontologies, shipped_with
from kaicep.ontology.modules.shipped_ontologies import SHIPPED
from support.ontologies import project, write


@pytest.mark.parametrize("name", named_ontologies())
def test_what_is_named_is_shipped_with_its_licence_beside_it(name: str) -> None:
    ontology = named_ontologies()[name]
    assert ontology.title
    for file in ontology.files:
        text = (file.parent / "README.md").read_text(encoding="utf-8")
        assert f"`{file.name}`" in text
        assert ontology.version.rpartition(".")[0] in text or ontology.version in text or name in {"org", "time"}
        assert any(t.startswith(ontology.namespace) for t in _named(Module.load(file, SHIPPED)))


def _named(module: Module) -> set[str]:
    return {str(triple.subject).strip("<>") for triple in module.triples}


def test_names_stand_for_their_files(tmp_path: Path) -> None:
    write(tmp_path, {"m.ttl": "<urn:a> a <urn:B> ."})
    found = load_knowledge(project(tmp_path, "sosa", "m.ttl", "SSN", reasoner="none"))
    assert [module.source for module in found.modules] == [
        "ontologies/sosa/sosa.ttl",
        "m.ttl",
        "ontologies/ssn/ssn.ttl",
    ]
    assert found.is_class("http://www.w3.org/ns/sosa/Observation")


@pytest.mark.parametrize("entry", ["brick", "brick:1", "brick:1.5", "brick:1.5.0", "Brick:1.5"])
def test_a_version_may_be_inexact(entry: str, tmp_path: Path) -> None:
    found = find_named(entry, tmp_path)
    assert found is not None
    assert [path.name for path in found] == ["Brick-1.5.0.ttl"]


def test_files_and_patterns_are_no_names(tmp_path: Path) -> None:
    (tmp_path / "sosa").write_text("")
    assert [find_named(e, tmp_path) for e in ("sosa", "m.ttl", "*", "a/b", "m.ttl.gz")] == [None] * 5


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("brik", "there is no ontology 'brik': did you mean 'brick'?"),
        (
            "brick:1.3",
            (
                "'brick:1.3' is not shipped with kaicep, which has brick:1.5.0: write \"brick\", or get it from "
                "https://github.com/BrickSchema/Brick/releases, and list its file"
            ),
        ),
        ("brick:1.50", "'brick:1.50' is not shipped with kaicep, which has brick:1.5.0: "),
        ("bot", "'bot' is not shipped with kaicep: get it from https://w3id.org/bot, and list its file"),
        ("more", "'more' is a folder: name its files: \"more/*.ttl\""),
        ("building", "there is no ontology 'building': kaicep ships brick:1.5.0, sosa:2017, "),
    ],
)
def test_what_is_not_shipped_is_told(entry: str, message: str, tmp_path: Path) -> None:
    """With the way to get it."""
    (tmp_path / "more").mkdir()
    with pytest.raises(OntologyError) as raised:
        load_knowledge(project(tmp_path, entry))
    assert str(raised.value).startswith(message)


def test_the_ontology_of_a_term() -> None:
    found = shipped_with("http://www.w3.org/ns/sosa/Observation")
    assert found is not None
    assert (found.name, found.declares >= {"http://www.w3.org/ns/sosa/"}) == ("sosa", True)
    assert shipped_with("http://example.org/a") is None
