"""What the other stages ask of the knowledge base."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.language.nodes.types import ValueType
from kaicep.language.nodes.vocabulary import KnownTerms
from kaicep.ontology import KnowledgeBase, load_knowledge
from kaicep.settings import ReasonerName
from support.ontologies import PREAMBLE, X, project, write

KNOWLEDGE = f"""{PREAMBLE}
:Office a owl:Class ; rdfs:subClassOf :Room ; owl:equivalentClass :Bureau . :Room rdfs:subClassOf :Space .
:airflow a owl:DatatypeProperty ; rdfs:range xsd:double ; owl:equivalentProperty :flowrate , :volume .
:volume owl:sameAs :flow . :assignedTo rdfs:subPropertyOf :belongsTo . :belongsTo rdfs:subPropertyOf :concerns .
:concerns a owl:ObjectProperty .
:r105 a :Office ; owl:sameAs :d105 . :s1 :id "D105" . :s2 :id "D106" .
"""


@pytest.fixture(scope="module")
def knowledge() -> KnowledgeBase:
    return KnowledgeBase.of_turtle(KNOWLEDGE)


def names(iris: frozenset[str]) -> set[str]:
    return {iri.removeprefix(X) for iri in iris}


@pytest.mark.parametrize("reasoner", ["rl", "none"])
def test_equivalents_hold_in_every_direction_and_over_many_steps(reasoner: ReasonerName) -> None:
    knowledge = KnowledgeBase.of_turtle(KNOWLEDGE, reasoner=reasoner)
    assert names(knowledge.equivalents(X + "flow")) == {"airflow", "flowrate", "volume"}
    assert names(knowledge.equivalents(X + "airflow")) == {"flow", "flowrate", "volume"}
    assert names(knowledge.equivalents(X + "Bureau")) == {"Office"}
    assert names(knowledge.equivalents(X + "d105")) == {"r105"}
    assert knowledge.equivalents(X + "Room") == knowledge.equivalents(X + "nobody") == frozenset()


@pytest.mark.parametrize("reasoner", ["rl", "none"])
def test_what_is_more_general(reasoner: ReasonerName) -> None:
    knowledge = KnowledgeBase.of_turtle(KNOWLEDGE, reasoner=reasoner)
    assert names(knowledge.superclasses(X + "Bureau")) == {"Office", "Room", "Space"}
    assert names(knowledge.superproperties(X + "assignedTo")) == {"belongsTo", "concerns"}
    assert names(knowledge.superproperties(X + "flow")) == {"airflow", "flowrate", "volume"}
    assert knowledge.superclasses(X + "Space") == knowledge.superproperties(X + "nobody") == frozenset()


def test_classes_properties_and_terms(knowledge: KnowledgeBase) -> None:
    terms: KnownTerms = knowledge
    assert terms.is_class(X + "Bureau")
    assert terms.is_class(X + "Space")
    assert not terms.is_class(X + "airflow")
    assert terms.is_property(X + "id")
    assert terms.is_property(X + "volume")
    assert not terms.is_property(X + "Room")
    assert terms.is_known(X + "r105")
    assert not terms.is_known(X + "nobody")
    assert {X + "Office", X + "concerns"} <= set(terms.terms())
    assert X + "r105" not in terms.terms()


def test_ranges_look_at_equivalent_and_more_general_properties(knowledge: KnowledgeBase) -> None:
    """The type is that of `property_ranges`."""
    assert knowledge.range_of(X + "flow") is ValueType.DOUBLE
    assert knowledge.range_of(X + "assignedTo") is ValueType.IRI
    assert knowledge.range_of(X + "id") is ValueType.STRING


def test_individuals_by_key(knowledge: KnowledgeBase) -> None:
    assert knowledge.keys(X + "id").individuals == {"D105": X + "s1", "D106": X + "s2"}
    assert knowledge.keys(X + "nothing").individuals == {}


def test_a_key_of_equal_individuals_gives_one_of_them_always_the_same() -> None:
    text = PREAMBLE + ':s2 :id "D105" ; owl:sameAs :s1 . [] :id "D106" .'
    assert KnowledgeBase.of_turtle(text).keys(X + "id").individuals == {"D105": X + "s1"}


def test_a_key_of_two_individuals_names_neither() -> None:
    keys = KnowledgeBase.of_turtle(PREAMBLE + ':s1 :id "D105" . :s2 :id "D105" .').keys(X + "id")
    assert (keys.individuals, keys.ambiguous) == ({}, {"D105": (X + "s1", X + "s2")})


def test_individuals_below_a_prefix(knowledge: KnowledgeBase) -> None:
    """Classes and properties are none."""
    below = knowledge.individuals_below(X)
    assert {X + "s1", X + "s2"} <= below
    assert X + "id" not in below
    assert knowledge.individuals_below(X + "s1") == {X + "s1"}


def test_the_version_changes_with_text_and_reasoner_only(tmp_path: Path) -> None:
    write(tmp_path, {"a.ttl": ":a a :A .", "b.ttl": ":b a :B ."})
    versions = [
        load_knowledge(project(tmp_path, *modules, reasoner=reasoner)).version
        for modules, reasoner in (
            (("a.ttl", "b.ttl"), "rl"),
            (("b.ttl", "*.ttl"), "rl"),
            (("a.ttl", "b.ttl"), "none"),
            (("a.ttl",), "rl"),
        )
    ]
    assert versions[0] == versions[1]
    assert len(set(versions)) == 3


def test_modules_of_several_syntaxes_are_one_knowledge(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.ttl": ":A rdfs:subClassOf :B .",
            "b.nt": f"<{X}B> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <{X}C> .",
            "c.jsonld": f'{{"@id": "{X}i", "@type": "{X}A"}}',
        },
    )
    knowledge = load_knowledge(project(tmp_path, "*"))
    assert names(knowledge.superclasses(X + "A")) == {"B", "C"}
    rows = knowledge.store.query(f"ASK {{ <{X}i> a <{X}C> }}")
    assert bool(rows)


def test_knowing_nothing() -> None:
    nothing = KnowledgeBase.empty()
    assert len(nothing.store) == 0
    assert nothing.modules == ()
    assert nothing.terms() == ()
    assert not nothing.is_class(X + "A")
    assert nothing.equivalents(X + "A") == nothing.superclasses(X + "A") == frozenset()
    assert nothing.range_of(X + "p") is ValueType.TERM
    assert nothing.version == KnowledgeBase.empty().version


def test_what_is_written_is_the_same_knowledge_elsewhere() -> None:
    """Blank nodes keep their names: what PATHs bind in several processes meets in one answer."""
    known = KnowledgeBase.of_turtle('<urn:a> a <urn:C> ; <urn:p> [ <urn:q> "x" ] .')
    again = KnowledgeBase.of_closure(known.written())
    assert sorted(again.written().splitlines()) == sorted(known.written().splitlines())
    assert again.individuals_below("urn:") == known.individuals_below("urn:")
