"""The knowledge of a project: kept, told what is missing, contradictory or not as its file says."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology import load_knowledge
from kaicep.ontology.closures import CACHE_VARIABLE
from support.ontologies import project, write

MANY = "".join(f":i{n} a :C{n} ." for n in range(3000))


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))


def test_large_knowledge_is_kept_and_the_same_the_next_time(tmp_path: Path) -> None:
    write(tmp_path, {"m.ttl": MANY})
    first, second = (load_knowledge(project(tmp_path, "m.ttl")) for _ in range(2))
    assert len(list((tmp_path / "cache" / "closures").iterdir())) == 1
    assert not isinstance(second.modules[0].triples, tuple), "its document was not read again"
    assert set(second.store) == set(first.store)
    assert second.version == first.version


def test_a_byte_more_is_other_knowledge(tmp_path: Path) -> None:
    write(tmp_path, {"m.ttl": MANY})
    first = load_knowledge(project(tmp_path, "m.ttl"))
    write(tmp_path, {"m.ttl": MANY.replace(":i7 a :C7 .", ":i7 a :C8 .")})
    second = load_knowledge(project(tmp_path, "m.ttl"))
    assert second.version != first.version
    assert set(second.store) != set(first.store)


def test_an_import_that_nobody_has_is_told_with_the_way_to_bring_it(tmp_path: Path) -> None:
    write(tmp_path, {"m.ttl": "<urn:o> a owl:Ontology ; owl:imports <http://nowhere.example.org/x> . :i a :A ."})
    knowledge = load_knowledge(project(tmp_path, "m.ttl"))
    (warning,) = knowledge.warnings
    assert warning == (
        "m.ttl: imports <http://nowhere.example.org/x>, which no loaded module and no file of the catalog declares: "
        "it is done without; to bring it, put a copy into a folder of knowledge.catalog"
    )
    assert knowledge.is_known("http://example.org/x#i")


def test_contradictory_knowledge_is_refused_unless_it_is_suffered(tmp_path: Path) -> None:
    write(tmp_path, {"m.ttl": ":A owl:disjointWith :B . :i a :A, :B . :j a :A, :B ."})
    with pytest.raises(OntologyError, match="and 1 more") as raised:
        load_knowledge(project(tmp_path, "m.ttl"))
    assert len(raised.value.__notes__) == 1
    suffered = load_knowledge(project(tmp_path, "m.ttl", on_contradiction="warn"))
    assert len(suffered.contradictions) == 2


def test_a_project_says_how_much_may_follow(tmp_path: Path) -> None:
    write(tmp_path, {"m.ttl": " ".join(f":hub owl:sameAs :i{n} ." for n in range(5))})
    with pytest.raises(OntologyError, match=r"at most 5 can be: take statements back, raise names_per_thing under"):
        load_knowledge(project(tmp_path, "m.ttl", names_per_thing=5))
    assert load_knowledge(project(tmp_path, "m.ttl", names_per_thing=6)).equivalents("http://example.org/x#hub")
