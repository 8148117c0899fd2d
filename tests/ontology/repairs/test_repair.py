"""What is left out is as little as possible, and enough."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.errors import OntologyError
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.modules import Module
from kaicep.ontology.repairs import find_repair
from support.ontologies import PREAMBLE, X

CLASSES = ":A owl:disjointWith :B . :A1 rdfs:subClassOf :A . :p rdfs:range :B ; a owl:ObjectProperty . "
PROPERTIES = ":f a owl:AsymmetricProperty . :g owl:inverseOf :f . "


def contradictory(*texts: str) -> KnowledgeBase:
    modules = [Module.parse(f"{number}.ttl", (PREAMBLE + text).encode()) for number, text in enumerate(texts)]
    return KnowledgeBase(modules, prefixes={"x": X}, contradictory=True)


def left_out(*texts: str) -> list[str]:
    found = (str(statement.triple).replace(X, ":") for statement in find_repair(contradictory(*texts)))
    return [text.replace("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "a") for text in found]


def test_one_statement_that_takes_part_in_everything_goes_before_three() -> None:
    assert left_out(CLASSES + ":i a :A1 . :j :p :i . :k :p :i . :l :p :i .") == ["<:i> <a> <:A1>"]


def test_where_each_side_has_two_reasons_two_statements_go() -> None:
    text = CLASSES + ":q rdfs:domain :A . :i a :A1 ; :q :x . :j :p :i . :k :p :i ."
    assert len(left_out(text)) == 2


def test_statements_are_blamed_and_never_axioms() -> None:
    assert left_out(PROPERTIES + ":i :f :j . :j :f :i .") in (["<:i> <:f> <:j>"], ["<:j> <:f> <:i>"])
    assert left_out(PROPERTIES + ":i :f :j . :i :g :j .") in (["<:i> <:f> <:j>"], ["<:i> <:g> <:j>"])


def test_each_is_told_with_its_files_and_what_it_contradicts() -> None:
    (statement,) = find_repair(contradictory(CLASSES, ":i a :A .", ":i a :A .", ":j :p :i . :k :p :i ."))
    assert statement.sources == ("1.ttl", "2.ttl")
    assert statement.contradictions == ("x:i is both x:A and x:B, which are disjoint",)


def test_a_statement_without_blank_nodes_is_left_out_if_one_is_enough() -> None:
    assert left_out(CLASSES + ":i a :A . [] :p :i .") == ["<:i> <a> <:A>"]


def test_what_the_project_states_itself_goes_before_what_it_imports() -> None:
    imported = Module.parse("i.ttl", (PREAMBLE + CLASSES + ":i a :A .").encode())
    own = Module.parse("m.ttl", (PREAMBLE + ":i a :B .").encode())
    modules = [Module(**{n: getattr(imported, n) for n in Module.__slots__} | {"imported": True}), own]
    (statement,) = find_repair(KnowledgeBase(modules, contradictory=True))
    assert statement.sources == ("m.ttl",)


def test_values_and_identity_are_mended_as_well() -> None:
    wrong = left_out(':n rdfs:range xsd:integer . :i :n "many" ; :n 5 .')
    assert wrong == ['<:i> <:n> "many"']
    assert len(left_out(":f a owl:FunctionalProperty . :i :f 1, 2, 3 .")) == 2
    assert left_out(":i owl:sameAs :j ; owl:differentFrom :j .") == ["<:i> <http://www.w3.org/2002/07/owl#sameAs> <:j>"]
    assert left_out("[] owl:sourceIndividual :i ; owl:assertionProperty :p ; owl:targetIndividual :j . :i :p :j .") == [
        "<:i> <:p> <:j>"
    ]


def test_what_the_ontology_alone_makes_of_individuals_cannot_be_mended_so() -> None:
    text = "[] a owl:AllDifferent ; owl:members ( :i :i ) ."
    text += " :C owl:oneOf ( :i ) ; rdfs:subClassOf owl:Nothing ."
    with pytest.raises(OntologyError, match=r"no statement about individuals can be left out .*: mend what "):
        find_repair(contradictory(text))


TRIPLES = [
    *(f":{i} a :{c} ." for i in "ij" for c in ("A", "A1", "B")),
    *(f":{s} :{p} :{o} ." for s in "ij" for p in "pfg" for o in "ij"),
]


@given(st.sets(st.sampled_from(TRIPLES), min_size=2, max_size=7))
def test_random_repairs_are_enough_and_nothing_of_them_could_stay(statements: set[str]) -> None:
    """Against all subsets: what is left is consistent, and is not if any one statement comes back."""
    axioms = CLASSES + PROPERTIES
    texts = sorted(statements)
    knowledge = contradictory(axioms + " ".join(texts))
    if not knowledge.contradictions:
        return
    gone = [str(statement.triple) for statement in find_repair(knowledge)]
    of_text = {text: str(Module.parse("m.ttl", (PREAMBLE + text).encode()).triples[0]) for text in texts}
    removed = [text for text in texts if of_text[text] in gone]
    assert len(removed) == len(gone)

    def consistent(without: list[str]) -> bool:
        return not contradictory(axioms + " ".join(text for text in texts if text not in without)).contradictions

    assert consistent(removed)
    assert not any(consistent(list(fewer)) for fewer in combinations(removed, len(removed) - 1))
