"""Each rule that the `reasonable` library leaves out concludes what the standard says."""

from __future__ import annotations

import pytest
from kaicep.ontology.reasoners.hierarchy import HIERARCHY_RULES
from kaicep.ontology.reasoners.rl_rules import _LEFT_OUT, _OF_LISTS, derive
from kaicep.ontology.terms import RDFS
from pyoxigraph import NamedNode, Quad, RdfFormat, Store
from support.ontologies import PREAMBLE, X


def restriction(kind: str, value: str, prop: str = ":p") -> str:
    return f"owl:{kind} {value} ; owl:onProperty {prop}"


ONE = '"1"^^xsd:nonNegativeInteger'
CASES = {
    "scm-sco": (":A rdfs:subClassOf :B . :B rdfs:subClassOf :C .", ":A rdfs:subClassOf :C"),
    "scm-eqc1": (":A owl:equivalentClass :B .", ":B rdfs:subClassOf :A"),
    "scm-eqc2": (":A rdfs:subClassOf :B . :B rdfs:subClassOf :A .", ":A owl:equivalentClass :B"),
    "scm-spo": (":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r .", ":p rdfs:subPropertyOf :r"),
    "scm-eqp1": (":p owl:equivalentProperty :q .", ":q rdfs:subPropertyOf :p"),
    "scm-eqp2": (":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p .", ":p owl:equivalentProperty :q"),
    "scm-dom1": (":p rdfs:domain :A . :A rdfs:subClassOf :B .", ":p rdfs:domain :B"),
    "scm-dom2": (":p rdfs:subPropertyOf :q . :q rdfs:domain :A .", ":p rdfs:domain :A"),
    "scm-rng1": (":p rdfs:range :A . :A rdfs:subClassOf :B .", ":p rdfs:range :B"),
    "scm-rng2": (":p rdfs:subPropertyOf :q . :q rdfs:range :A .", ":p rdfs:range :A"),
    "scm-hv": (
        f":A {restriction('hasValue', ':v')} . :B {restriction('hasValue', ':v', ':q')} . :p rdfs:subPropertyOf :q .",
        ":A rdfs:subClassOf :B",
    ),
    "scm-svf1": (
        (
            f":A {restriction('someValuesFrom', ':C')} . :B {restriction('someValuesFrom', ':D')} . "
            ":C rdfs:subClassOf :D ."
        ),
        ":A rdfs:subClassOf :B",
    ),
    "scm-svf2": (
        (
            f":A {restriction('someValuesFrom', ':C')} . :B {restriction('someValuesFrom', ':C', ':q')} . "
            ":p rdfs:subPropertyOf :q ."
        ),
        ":A rdfs:subClassOf :B",
    ),
    "scm-avf1": (
        f":A {restriction('allValuesFrom', ':C')} . :B {restriction('allValuesFrom', ':D')} . :C rdfs:subClassOf :D .",
        ":A rdfs:subClassOf :B",
    ),
    "scm-avf2": (
        (
            f":A {restriction('allValuesFrom', ':C')} . :B {restriction('allValuesFrom', ':C', ':q')} . "
            ":p rdfs:subPropertyOf :q ."
        ),
        ":B rdfs:subClassOf :A",
    ),
    "scm-int": (":A owl:intersectionOf ( :B :C ) .", ":A rdfs:subClassOf :C"),
    "scm-uni": (":A owl:disjointUnionOf ( :B :C ) .", ":C rdfs:subClassOf :A"),
    "prp-ifp": (":p a owl:InverseFunctionalProperty . :i :p :v . :j :p :v .", ":i owl:sameAs :j"),
    "cls-oo": (":A owl:oneOf ( :i :j ) .", ":j rdf:type :A"),
    "cls-maxc2": (f":A {restriction('cardinality', ONE)} . :i a :A ; :p :j , :k .", ":j owl:sameAs :k"),
    "cls-maxqc3": (
        (
            f":A {restriction('maxQualifiedCardinality', ONE)} ; owl:onClass :B . "
            ":i a :A ; :p :j , :k . :j a :B . :k a :B ."
        ),
        ":j owl:sameAs :k",
    ),
    "cls-maxqc4": (
        f":A {restriction('qualifiedCardinality', ONE)} ; owl:onClass owl:Thing . :i a :A ; :p :j , :k .",
        ":j owl:sameAs :k",
    ),
    "prp-spo2": (":u owl:propertyChainAxiom ( :p [ owl:inverseOf :q ] ) . :i :p :j . :k :q :j .", ":i :u :k"),
    "prp-key": (":A owl:hasKey ( :p ) . :i a :A ; :p 1 . :j a :A ; :p 1 .", ":i owl:sameAs :j"),
}


def store_of(text: str) -> Store:
    store = Store()
    store.load((PREAMBLE + text).encode(), RdfFormat.TURTLE)
    return store


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_concludes(rule: str) -> None:
    """And says what is new, which the store has."""
    text, conclusion = CASES[rule]
    store = store_of(text)
    (expected,) = [quad.triple for quad in store_of(conclusion + " .")]
    added = derive(store)
    assert expected in added
    assert all(Quad(*triple) in store for triple in added)


def test_every_rule_has_its_case() -> None:
    assert set(CASES) == {*(rule.name for rule in _LEFT_OUT), *HIERARCHY_RULES, *_OF_LISTS, "prp-spo2", "prp-key"}


def test_a_closed_store_stays_as_it_is() -> None:
    store = store_of(CASES["scm-eqc1"][0])
    derive(store)
    assert derive(store) == set()


def test_a_chain_that_holds_anything_but_properties_concludes_nothing() -> None:
    assert derive(store_of(":u owl:propertyChainAxiom ( :p [ :q :r ] ) . :i :p :j . :j :q :k .")) == set()


@pytest.mark.parametrize("rest", ["rdf:nil", ":l1 , :l3", ":l2"])
def test_a_list_that_branches_or_comes_back_to_itself_has_an_end(rest: str) -> None:
    lists = f":l1 rdf:first :A ; rdf:rest :l2 . :l2 rdf:first :B ; rdf:rest {rest} . :l3 rdf:first :D ."
    store = store_of(f":C owl:intersectionOf :l1 . {lists}")
    derive(store)
    above = {
        str(quad.object) for quad in store.quads_for_pattern(NamedNode(X + "C"), NamedNode(RDFS + "subClassOf"), None)
    }
    members = "ABD" if "l3" in rest else "AB"
    assert above == {f"<{X}{name}>" for name in members}
