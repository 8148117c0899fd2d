"""OWL 2 RL is complete and sound, compared with owlrl on generated ontologies."""

from __future__ import annotations

import re

import owlrl
import pytest
import rdflib
from hypothesis import given
from kaicep.errors import OntologyError
from kaicep.ontology import KnowledgeBase
from pyoxigraph import DefaultGraph, RdfFormat
from rdflib import OWL, RDF, RDFS
from support.axioms import ontologies
from support.ontologies import BY_CASES, PREAMBLE, X, types

Fact = tuple[str, str, str]
# owlrl 7.6.2 never looks at the last member of these lists; repeated, it is no longer the last.
_LAST_IN_LIST = re.compile(r"((?:owl:hasKey|owl:distinctMembers|AllDifferent ; owl:members) \(.*) (\S+) \)")
_ERROR = rdflib.URIRef("http://www.daml.org/2002/03/agents/agent-ont#ErrorMessage")


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


def closure_by_owlrl(text: str) -> set[Fact] | None:
    """What owlrl derives; `None` when it finds an error."""
    graph = rdflib.Graph().parse(data=_LAST_IN_LIST.sub(r"\1\2 \2 )", text))
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics, axiomatic_triples=False, datatype_axioms=False).expand(graph)
    return None if (None, RDF.type, _ERROR) in graph else facts(graph)


@pytest.mark.slow
@given(ontologies(contradictory=True))
def test_generated_ontologies_have_the_closure_that_owlrl_gives(text: str) -> None:
    """And are refused exactly when owlrl finds an error in them."""
    try:
        closed = closure(text)
    except OntologyError:
        closed = None
    assert closed == closure_by_owlrl(text)


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


def test_rl_cannot_reason_by_cases() -> None:
    assert not {"C", "CC"} & types(KnowledgeBase.of_turtle(BY_CASES), "i")
