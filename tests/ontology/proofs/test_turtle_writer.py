"""Triples as Turtle writes them; a blank node as what it stands for."""

from __future__ import annotations

import pytest
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.proofs import TurtleWriter
from pyoxigraph import BlankNode, Literal, NamedNode, Triple
from support.ontologies import PREAMBLE, X


def writer(text: str) -> TurtleWriter:
    return TurtleWriter(KnowledgeBase.of_turtle(PREAMBLE + text, reasoner="none"), {"x": X})


def object_of(text: str) -> str:
    """The object of the only triple about `:A`."""
    knowledge = KnowledgeBase.of_turtle(PREAMBLE + text, reasoner="none")
    (value,) = [triple.object for triple in knowledge.modules[0].triples if triple.subject == NamedNode(X + "A")]
    return TurtleWriter(knowledge, {"x": X}).term(value)


def test_a_triple() -> None:
    tested = writer("")
    a, kind = NamedNode(X + "a"), NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    assert tested.triple(Triple(a, kind, NamedNode(X + "A"))) == "x:a a x:A"
    assert tested.iri("urn:a") == "<urn:a>"


@pytest.mark.parametrize(
    ("literal", "text"),
    [(Literal(5), "5"), (Literal(True), "true"), (Literal("a"), '"a"'), (Literal("a", language="en"), '"a"@en')],
)
def test_literals_as_bare_as_turtle_allows(literal: Literal, text: str) -> None:
    assert writer("").term(literal) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (":A owl:unionOf ( :B 5 ) .", "( x:B 5 )"),
        (":A owl:unionOf () .", "()"),
        (":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ] .", "[ owl:onProperty x:p ]"),
        (":A owl:equivalentClass [ owl:unionOf ( :B [ owl:complementOf :C ] ) ] .",
         "[ owl:unionOf ( x:B [ owl:complementOf x:C ] ) ]"),
        (":A :p [ :p [ :p [ :p [ :p [ :p :B ] ] ] ] ] .", "[ x:p [ x:p [ x:p [ x:p [] ] ] ] ]"),
        (":A :p [] .", "[]"),
    ],
)  # fmt: skip
def test_a_blank_node_is_the_list_or_the_description_that_it_stands_for(text: str, shown: str) -> None:
    assert object_of(text) == shown


def test_a_list_without_end_ends_in_writing() -> None:
    assert object_of(":A owl:unionOf _:l . _:l rdf:first :B ; rdf:rest _:l .").startswith("( x:B x:B ")


def test_pieces_of_what_another_triple_shows_are_told_apart() -> None:
    p, a = NamedNode(X + "p"), NamedNode(X + "a")
    assert writer("").is_cell(Triple(BlankNode("b"), p, a))
    assert not writer("").is_cell(Triple(a, p, BlankNode("b")))
