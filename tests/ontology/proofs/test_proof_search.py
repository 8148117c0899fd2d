"""Every triple of a closure has a proof, and each step of a proof holds by itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import owlrl
import pytest
import rdflib
from hypothesis import assume, given, settings
from kaicep.errors import OntologyError
from kaicep.ontology import KnowledgeBase, load_knowledge
from kaicep.ontology.proofs import AssertionOrigin, Inference, Leaf, Proof, Prover, TurtleWriter, inferences_of
from pyoxigraph import Literal, NamedNode, Quad, Store, Triple
from rdflib.term import Identifier
from support.axioms import ontologies
from support.ontologies import PREAMBLE, X, project, write

RDF_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
# What owlrl does not know: what is true of everything, and what kaicep adds to the standard (docs/entailment.md).
NOT_OF_OWLRL = {"everything", "cls-thing", "cls-nothing1", "prp-key", "rdfs6", "rdfs10"}


def node(name: str) -> NamedNode:
    return NamedNode(X + name)


def leaves_of(proof: Proof) -> list[Leaf]:
    return [proof] if isinstance(proof, Leaf) else [leaf for premise in proof.premises for leaf in leaves_of(premise)]


@cache
def follows(conclusion: Triple, premises: tuple[Triple, ...]) -> bool:
    """Whether owlrl derives the conclusion from the premises alone."""
    graph = rdflib.Graph()
    for premise in premises:
        graph.add(identifiers(premise))
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics, axiomatic_triples=False, datatype_axioms=False).expand(graph)
    return identifiers(conclusion) in graph


def identifiers(triple: Triple) -> tuple[Identifier, Identifier, Identifier]:
    return identifier(triple.subject), identifier(triple.predicate), identifier(triple.object)


def identifier(term: object) -> Identifier:
    if isinstance(term, NamedNode):
        return rdflib.URIRef(term.value)
    if isinstance(term, Literal):
        return rdflib.Literal(term.value, datatype=term.datatype.value, lang=term.language)
    return rdflib.BNode(getattr(term, "value", None))


def replay(step: Inference) -> None:
    """Check one step with another reasoner."""
    premises = tuple(premise.triple for premise in step.premises)
    if step.rule == "everything":
        assert step.triple.subject in {t.subject for t in premises} | {t.object for t in premises}
    elif step.rule not in NOT_OF_OWLRL:
        assert follows(step.triple, premises), step


@settings(max_examples=10, deadline=None)
@given(ontologies())
def test_every_triple_of_a_closure_has_a_proof_that_another_reasoner_replays(text: str) -> None:
    try:
        knowledge = KnowledgeBase.of_turtle(text)
    except OntologyError:
        assume(False)
    prover = Prover(knowledge)
    stated = Store()
    stated.bulk_extend(Quad(*triple) for triple in knowledge.modules[0].triples)
    replayed = 0
    for quad in knowledge.store:
        proof = prover.prove(quad.triple)
        assert proof.triple == quad.triple
        assert all(
            leaf.origin is AssertionOrigin.MODULE and Quad(*leaf.triple) in stated for leaf in leaves_of(proof)
        ), proof
        for step in inferences_of(proof):
            assert step.triple not in {above.triple for premise in step.premises for above in inferences_of(premise)}
            if replayed < 15:
                replay(step)
                replayed += 1


def proof_of(text: str, subject: str, predicate: str | NamedNode, value: str) -> tuple[Proof, TurtleWriter]:
    knowledge = KnowledgeBase.of_turtle(PREAMBLE + text)
    goal = Triple(node(subject), predicate if isinstance(predicate, NamedNode) else node(predicate), node(value))
    return Prover(knowledge).prove(goal), TurtleWriter(knowledge)


def rules_of(proof: Proof) -> list[str]:
    return [step.rule for step in inferences_of(proof)]


PROOFS = {
    "subclass": (":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :i a :A .", ["cax-sco", "cax-sco"], "C"),
    "intersection": (
        ":C owl:intersectionOf ( :A [ owl:onProperty :p ; owl:someValuesFrom :B ] ) . :i a :A ; :p :j . :j a :B .",
        ["cls-svf1", "cls-int1"],
        "C",
    ),
    "key": (
        ':K owl:hasKey ( :p :q ) . :i a :K ; :p :x ; :q "1" . :j a :K , :C ; :p :x ; :q "1" .',
        ["prp-key", "eq-rep-s"],
        "C",
    ),
    "exactly one": (
        (
            ":K rdfs:subClassOf [ owl:onProperty :p ; owl:cardinality 1 ] . :x a :K ; :p :i , :j . "
            ":j a :D . :C owl:disjointUnionOf ( :D :E ) ."
        ),
        ["cax-sco", "cls-maxc2", "cls-uni", "eq-rep-s"],
        "C",
    ),
}


@pytest.mark.parametrize("case", PROOFS)
def test_proofs_name_the_rules_of_the_standard(case: str) -> None:
    text, rules, kind = PROOFS[case]
    proof, _ = proof_of(text, "i", RDF_TYPE, kind)
    assert sorted(rules_of(proof)) == sorted(rules)
    assert {leaf.origin for leaf in leaves_of(proof)} == {AssertionOrigin.MODULE}


def test_chains_with_an_inverse_state_the_whole_list() -> None:
    text = ":u owl:propertyChainAxiom ( [ owl:inverseOf :p ] :q ) . :i :p :j . :i :q :k ."
    proof, wording = proof_of(text, "j", "u", "k")
    assert rules_of(proof) == ["prp-spo2"]
    x = f"<{X}"
    shown = [wording.triple(leaf.triple) for leaf in leaves_of(proof) if not wording.is_cell(leaf.triple)]
    assert shown == [
        f"{x}i> {x}p> {x}j>",
        f"{x}i> {x}q> {x}k>",
        f"{x}u> owl:propertyChainAxiom ( [ owl:inverseOf {x}p> ] {x}q> )",
    ]


def test_a_long_transitive_chain_is_proved_through_its_links() -> None:
    """By halves: the proof is as deep as the logarithm of the chain is long."""
    links = " ".join(f":n{i} :part :n{i + 1} ." for i in range(100))
    proof, _ = proof_of(f":part a owl:TransitiveProperty . {links}", "n0", "part", "n100")
    assert rules_of(proof) == ["prp-trp"] * 99
    depth = 0
    level: list[Proof] = [proof]
    while level:
        level = [premise for part in level if isinstance(part, Inference) for premise in part.premises]
        depth += 1
    assert depth < 10


def test_a_step_that_needs_many_premises_looked_at_is_found_in_the_second_search() -> None:
    """Only one of a hundred things that `:i` is near to makes it a `:C`, and the others come first."""
    near = " ".join(f":i :near :n{i} ." for i in range(100))
    text = f":C owl:onProperty :near ; owl:someValuesFrom :A . :z a :A . :i :near :z . :near rdfs:range :R . {near}"
    proof, _ = proof_of(text, "i", RDF_TYPE, "C")
    assert rules_of(proof) == ["cls-svf1"]


def test_leaves_name_all_modules_that_state_them(tmp_path: Path) -> None:
    write(tmp_path, {"a.ttl": ":A rdfs:subClassOf :B . :i a :A .", "b.ttl": ":A rdfs:subClassOf :B ."})
    proof = Prover(load_knowledge(project(tmp_path, "*.ttl"))).prove(Triple(node("i"), RDF_TYPE, node("B")))
    assert [leaf.sources for leaf in leaves_of(proof)] == [("a.ttl",), ("a.ttl", "b.ttl")]


def test_what_a_dl_reasoner_inferred_is_a_leaf_of_its_own() -> None:
    """`:i` is of one of two classes, and each of them is a `:C`: no rule of OWL 2 RL sees that."""
    text = (
        "[] a owl:Ontology . :A a owl:Class ; rdfs:subClassOf :C . :B a owl:Class ; rdfs:subClassOf :C . "
        ":C a owl:Class ; rdfs:subClassOf :D . :D a owl:Class . :i a owl:NamedIndividual , "
        "[ a owl:Class ; owl:unionOf ( :A :B ) ] ."
    )
    knowledge = KnowledgeBase.of_turtle(PREAMBLE + text, reasoner="hermit")
    proof = Prover(knowledge).prove(Triple(node("i"), RDF_TYPE, node("D")))
    assert rules_of(proof) == ["cax-sco"]
    assert [(leaf.origin, leaf.sources) for leaf in leaves_of(proof)] == [
        (AssertionOrigin.REASONER, ("hermit",)),
        (AssertionOrigin.MODULE, ("turtle",)),
    ]


def test_what_cannot_be_proved_is_left_open() -> None:
    knowledge = KnowledgeBase.of_turtle(PREAMBLE + ":i a :A .")
    goal = Triple(node("i"), RDF_TYPE, node("B"))
    assert Prover(knowledge).prove(goal) == Leaf(goal, AssertionOrigin.OPEN, ("rl",))


def test_given_triples_and_a_view_of_more_than_the_knowledge_take_part() -> None:
    knowledge = KnowledgeBase.of_turtle(PREAMBLE + ":hasSource rdfs:subPropertyOf :hasOrigin .")
    view = Store()
    view.bulk_extend(knowledge.store)
    stated, derived = (Triple(node("e"), node(p), node("s")) for p in ("hasSource", "hasOrigin"))
    view.update(f"INSERT DATA {{ {stated} . {derived} }}")
    proof = Prover(knowledge).prove(derived, view, {stated: "sensor"})
    assert rules_of(proof) == ["prp-spo1"]
    assert [(leaf.origin, leaf.sources) for leaf in leaves_of(proof)] == [
        (AssertionOrigin.EVENT, ("sensor",)),
        (AssertionOrigin.MODULE, ("turtle",)),
    ]
