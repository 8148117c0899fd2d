"""Modules are found by pattern, their imports in local files only."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology import load_knowledge
from support.ontologies import X, project, write

IMPORT = "<http://example.org/{}> a owl:Ontology ; owl:imports <http://example.org/{}> . :{} :p :{} .\n"
ONTOLOGY = "<http://example.org/{}> a owl:Ontology . :{} :p :p .\n"


def sources(folder: Path, *modules: str, catalog: tuple[str, ...] = ()) -> list[str]:
    return [m.source for m in load_knowledge(project(folder, *modules, catalog=catalog, reasoner="none")).modules]


def test_patterns_give_files_in_order_and_each_once(tmp_path: Path) -> None:
    write(tmp_path, {"o/b.ttl": ":b a :B .", "o/a.ttl": ":a a :B .", "o/deep/c.ttl": ":c a :B .", "o/readme.md": ""})
    assert sources(tmp_path, "o/b.ttl", "o/*.ttl") == ["o/b.ttl", "o/a.ttl"]
    assert sources(tmp_path, "o/**/*.ttl") == ["o/a.ttl", "o/b.ttl", "o/deep/c.ttl"]
    assert sources(tmp_path / "o", "../o/[b].ttl") == ["../o/b.ttl"]
    assert sources(tmp_path / "o" / "deep", str(tmp_path / "o" / "a*.ttl")) == [str(tmp_path / "o" / "a.ttl")]


def test_loaded_modules_satisfy_imports_also_in_circles(tmp_path: Path) -> None:
    write(tmp_path, {"a.ttl": IMPORT.format("a", "b", "a", "b"), "b.ttl": IMPORT.format("b", "a", "b", "a")})
    knowledge = load_knowledge(project(tmp_path, "*.ttl"))
    assert [module.source for module in knowledge.modules] == ["a.ttl", "b.ttl"]
    assert knowledge.is_known(X + "b")


def test_the_catalog_is_asked_for_the_rest_and_for_what_that_imports(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.ttl": IMPORT.format("a", "b", "a", "b"),
            "catalog/deep/b.ttl": IMPORT.format("b", "c", "b", "c"),
            "catalog/c.ttl": ONTOLOGY.format("c", "c"),
            "catalog/unasked.ttl": ONTOLOGY.format("d", "d"),
            "catalog/broken.ttl": ":a",
            "catalog/.hidden/c.ttl": ONTOLOGY.format("c", "hidden"),
        },
    )
    assert sources(tmp_path, "a.ttl", catalog=("catalog",)) == ["a.ttl", "catalog/deep/b.ttl", "catalog/c.ttl"]


def test_a_module_that_is_also_in_the_catalog_is_loaded_once(tmp_path: Path) -> None:
    write(tmp_path, {"a.ttl": IMPORT.format("a", "b", "a", "b"), "b.ttl": ONTOLOGY.format("b", "b")})
    assert sources(tmp_path, "*.ttl", catalog=(".",)) == ["a.ttl", "b.ttl"]


def test_version_iris_and_a_last_hash_or_slash_count_too(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.ttl": IMPORT.format("a", "b/1.0", "a", "b") + IMPORT.format("a", "c#", "a", "b"),
            "catalog/b.ttl": "<http://example.org/b> a owl:Ontology ; owl:versionIRI <http://example.org/b/1.0> .",
            "catalog/c.ttl": ONTOLOGY.format("c/", "c"),
        },
    )
    assert sources(tmp_path, "a.ttl", catalog=("catalog",)) == ["a.ttl", "catalog/b.ttl", "catalog/c.ttl"]


WAY_OUT = (
    "put a copy into a folder of knowledge.catalog; to do without it, put a file there that says only "
    "<http://example.org/b> a <http://www.w3.org/2002/07/owl#Ontology> ."
)
MISSING = "a.ttl: imports <http://example.org/b>, which no loaded module and no file of the catalog declares: "


def refusal(folder: Path, *modules: str, catalog: tuple[str, ...] = ()) -> str:
    with pytest.raises(OntologyError) as raised:
        load_knowledge(project(folder, *modules, catalog=catalog, strict_imports=True))
    return str(raised.value)


def test_an_unresolved_import_names_the_module_and_the_way_out(tmp_path: Path) -> None:
    write(tmp_path, {"a.ttl": IMPORT.format("a", "b", "a", "b")})
    assert refusal(tmp_path, "a.ttl") == MISSING + WAY_OUT


def test_an_unresolved_import_tells_of_a_similar_name_and_of_unreadable_files(tmp_path: Path) -> None:
    write(tmp_path, {"a.ttl": IMPORT.format("long", "b", "a", "b"), "c/x.ttl": ONTOLOGY.format("bb", "x")})
    write(tmp_path, {"c/y.nt": "<urn:a>"})
    assert refusal(tmp_path, "a.ttl", catalog=("c",)) == (
        MISSING + "did you mean 'http://example.org/bb'; "
        "(a file of the catalog cannot be read: c/y.nt:1:8: no N-Triples: Unexpected end); " + WAY_OUT
    )


def test_a_pattern_without_files_and_a_missing_catalog_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a.ttl": ONTOLOGY.format("a", "a")})
    assert refusal(tmp_path, "b.ttl") == (
        f"no ontology module 'b.ttl' in {tmp_path}: knowledge.modules takes files and patterns such as "
        '"ontologies/*.ttl" (.ttl, .turtle, .nt, .nq, .trig, .jsonld, .json, .owl, .rdf, .xml, .owx; .gz, .bz2, '
        '.xz of them), and names such as "brick:1.5"'
    )
    assert refusal(tmp_path, "a.ttl", catalog=("nowhere",)) == (
        f"no folder 'nowhere' in {tmp_path}: knowledge.catalog takes folders with ontology files"
    )
