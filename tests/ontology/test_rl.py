"""OWL 2 RL is complete and sound, compared with owlrl on generated ontologies."""

from __future__ import annotations

import random

import owlrl
import pytest
import rdflib
from kaicep.ontology import KnowledgeBase
from pyoxigraph import DefaultGraph, RdfFormat
from rdflib import OWL, RDF, RDFS
from support.ontologies import PREAMBLE, X

Fact = tuple[str, str, str]
CLASSES = [f":C{n}" for n in range(5)]
PROPERTIES = [f":p{n}" for n in range(4)]
DATA_PROPERTIES = [f":d{n}" for n in range(3)]
INDIVIDUALS = [f":i{n}" for n in range(6)]
RESTRICTION = "a owl:Restriction ; owl:onProperty"
AXIOMS = (
    "{C} rdfs:subClassOf {C} .",
    "{C} owl:equivalentClass {C} .",
    "{P} rdfs:subPropertyOf {P} .",
    "{P} owl:equivalentProperty {P} .",
    "{D} rdfs:subPropertyOf {D} .",
    "{D} owl:equivalentProperty {D} .",
    "{P} owl:inverseOf {P} .",
    "{P} a owl:TransitiveProperty .",
    "{P} a owl:SymmetricProperty .",
    "{P} a owl:FunctionalProperty .",
    "{P} a owl:InverseFunctionalProperty .",
    "{P} rdfs:domain {C} .",
    "{P} rdfs:range {C} .",
    "{P} owl:propertyChainAxiom ( {P} {P} ) .",
    "{C} owl:equivalentClass [ owl:intersectionOf ( {C} {C} ) ] .",
    "{C} owl:unionOf ( {C} {C} ) .",
    "{C} owl:oneOf ( {I} {I} ) .",
    "{C} owl:equivalentClass [ " + RESTRICTION + " {P} ; owl:someValuesFrom {C} ] .",
    "{C} rdfs:subClassOf [ " + RESTRICTION + " {P} ; owl:allValuesFrom {C} ] .",
    "{C} owl:equivalentClass [ " + RESTRICTION + " {P} ; owl:hasValue {I} ] .",
    "{C} owl:equivalentClass [ " + RESTRICTION + " {D} ; owl:hasValue {V} ] .",
    "{C} rdfs:subClassOf [ " + RESTRICTION + ' {P} ; owl:maxCardinality "1"^^xsd:nonNegativeInteger ] .',
    "{C} rdfs:subClassOf [ "
    + RESTRICTION
    + ' {P} ; owl:maxQualifiedCardinality "1"^^xsd:nonNegativeInteger ; owl:onClass {C} ] .',
)
FACTS = ("{I} a {C} .", "{I} {P} {I} .", "{I} {P} {I} .", "{I} {D} {V} .")


def generated(seed: int) -> str:
    rng = random.Random(seed)
    names = {"C": CLASSES, "P": PROPERTIES, "D": DATA_PROPERTIES, "I": INDIVIDUALS, "V": ['"0"', '"1"', '"2"']}

    def filled(template: str) -> str:
        for hole, choice in names.items():
            while f"{{{hole}}}" in template:
                template = template.replace(f"{{{hole}}}", rng.choice(choice), 1)
        return template

    lines = [filled(rng.choice(AXIOMS)) for _ in range(rng.randint(3, 8))]
    lines += [filled(rng.choice(FACTS)) for _ in range(10)]
    if rng.random() < 0.3:
        lines.append(filled("{I} owl:sameAs {I} ."))
    return PREAMBLE + "\n".join(lines)


def facts(graph: rdflib.Graph) -> set[Fact]:
    """Triples of named things; without what is true of everything."""
    reflexive = {OWL.sameAs, OWL.equivalentClass, OWL.equivalentProperty, RDFS.subClassOf, RDFS.subPropertyOf}
    return {
        (str(s), str(p), str(o))
        for s, p, o in graph
        if str(s).startswith(X) and not isinstance(o, rdflib.BNode) and o != OWL.Thing
        if not (s == o and p in reflexive)
    }


def closure(text: str) -> set[Fact]:
    store = KnowledgeBase.of_turtle(text).store
    dumped = store.dump(format=RdfFormat.N_TRIPLES, from_graph=DefaultGraph())
    assert dumped is not None
    return facts(rdflib.Graph().parse(data=dumped, format="nt"))


def closure_by_owlrl(text: str) -> set[Fact]:
    graph = rdflib.Graph().parse(data=text)
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics, axiomatic_triples=False, datatype_axioms=False).expand(graph)
    return facts(graph)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_generated_ontologies_have_the_closure_that_owlrl_gives(first: int) -> None:
    for seed in range(first, first + 10):
        text = generated(seed)
        assert closure(text) == closure_by_owlrl(text), text


INFERRED = {
    "equivalent properties carry literals as they are": (
        ':p owl:equivalentProperty :q . :q owl:equivalentProperty :r . :i :p "a"@en .',
        (X + "i", X + "r", "a"),
    ),
    "properties that are the same": (":p owl:sameAs :q . :i :p :j .", (X + "i", X + "q", X + "j")),
    "chain with an inverse": (
        ":u owl:propertyChainAxiom ( [ owl:inverseOf :p ] :q ) . :i :p :j . :i :q :k .",
        (X + "j", X + "u", X + "k"),
    ),
    "chain of three": (
        ":u owl:propertyChainAxiom ( :p :q :r ) . :i :p :j . :j :q :k . :k :r :l .",
        (X + "i", X + "u", X + "l"),
    ),
    "chain over what another chain gives": (
        ":u owl:propertyChainAxiom ( :p :q ) . :w owl:propertyChainAxiom ( :u :q ) . :i :p :j . :j :q :k . :k :q :l .",
        (X + "i", X + "w", X + "l"),
    ),
    "key of two properties": (
        ':A owl:hasKey ( :p :q ) . :i a :A ; :p "1" ; :q :k . :j a :A ; :p "1" ; :q :k .',
        (X + "i", str(OWL.sameAs), X + "j"),
    ),
    "exactly one": (
        (
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; "
            'owl:cardinality "1"^^xsd:nonNegativeInteger ] . '
            ":i a :A ; :p :j , :k ."
        ),
        (X + "j", str(OWL.sameAs), X + "k"),
    ),
    "type by a restriction on its superclass": (
        (
            ":A owl:equivalentClass [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] . "
            ":C rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :D ] . "
            ":D rdfs:subClassOf :B . :i a :C ."
        ),
        (X + "i", str(RDF.type), X + "A"),
    ),
}


@pytest.mark.parametrize("case", INFERRED)
def test_what_follows_is_there(case: str) -> None:
    text, fact = INFERRED[case]
    assert fact in closure(PREAMBLE + text)


NOT_INFERRED = {
    "inverse functional, other objects": (
        ":p a owl:InverseFunctionalProperty . :i :p :k . :j :p :l .",
        (X + "i", str(OWL.sameAs), X + "j"),
    ),
    "key with one value missing": (
        ':A owl:hasKey ( :p :q ) . :i a :A ; :p "1" ; :q "2" . :j a :A ; :p "1" .',
        (X + "i", str(OWL.sameAs), X + "j"),
    ),
}


@pytest.mark.parametrize("case", NOT_INFERRED)
def test_what_does_not_follow_is_not_there(case: str) -> None:
    text, fact = NOT_INFERRED[case]
    assert fact not in closure(PREAMBLE + text)
