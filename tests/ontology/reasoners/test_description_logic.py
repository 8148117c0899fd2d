"""A DL reasoner adds what OWL 2 RL cannot infer, and says who is in the way of a model."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.reasoners import description_logic
from kaicep.ontology.reasoners.hermit import HERMIT
from kaicep.settings import ReasonerName
from pyoxigraph import Quad
from support.ontologies import BY_CASES, PREAMBLE, X

pytestmark = pytest.mark.slow  # each starts a Java

CONTRADICTION = f"""{BY_CASES}
:B a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :E ] .
:E a owl:Class . :E rdfs:subClassOf :F , [ owl:complementOf :F ] . :F a owl:Class .
{" ".join(f":x{n} a :D1 ." for n in range(3))} :bad a :B .
"""


@pytest.mark.long
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


def test_what_a_dl_reasoner_inferred_is_told_apart() -> None:
    """And is not what OWL 2 RL closes anyway."""
    knowledge = KnowledgeBase.of_turtle(BY_CASES, reasoner="hermit")
    by_rules = set(KnowledgeBase.of_turtle(BY_CASES).store)
    assert knowledge.inferred
    assert not {triple for triple in knowledge.inferred if Quad(*triple) in by_rules}


def failing(returncode: int, stderr: str) -> object:
    return lambda *args, **options: subprocess.CompletedProcess(args, returncode, "", stderr)


@pytest.mark.parametrize("said", ["It all went pear-shaped: no such thing\nat", "\nERROR: no such thing\n"])
def test_a_reasoner_that_fails_is_quoted(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(description_logic, "find_java", lambda needed, reasoner: Path("java"))
    monkeypatch.setattr(subprocess, "run", failing(0 if "pear" in said else 1, said))
    with pytest.raises(OntologyError) as raised:
        HERMIT.infer([])
    assert str(raised.value) == (
        "hermit cannot reason over these modules: no such thing: "
        'they may be no OWL 2 DL; use reasoner = "rl", which takes any'
    )


@pytest.mark.parametrize("reasoner", ["rl", "hermit"])
def test_blank_nodes_and_literals_survive(reasoner: ReasonerName) -> None:
    knowledge = KnowledgeBase.of_turtle(PREAMBLE + ':i :p [ :q "a"@en-GB , 5.50 ] .', reasoner=reasoner)
    rows = knowledge.store.query(f"SELECT ?v {{ <{X}i> <{X}p>/<{X}q> ?v }} ORDER BY ?v")
    values = [str(row[0]) for row in rows]  # type: ignore[union-attr]  # a SELECT gives solutions
    assert values == ['"5.5"^^<http://www.w3.org/2001/XMLSchema#decimal>', '"a"@en-gb']
