"""Contradictions name the individuals, the classes and the modules."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology import KnowledgeBase, load_knowledge
from support.ontologies import PREAMBLE, project, write

WAY_OUT = ": take one of the statements back, see "
RESTRICTION = "a owl:Restriction ; owl:onProperty :p ; owl:"
ONE = '"1"^^xsd:nonNegativeInteger'
NONE = '"0"^^xsd:nonNegativeInteger'

CONTRADICTIONS = {
    "disjoint classes": (
        ":A owl:disjointWith :B . :C rdfs:subClassOf :B . :i a :A , :C .",
        "x:i is both x:A and x:B, which are disjoint" + WAY_OUT + "m.ttl (x:i, x:A)",
    ),
    "pairwise disjoint classes": (
        "[] a owl:AllDisjointClasses ; owl:members (:A :B :C) . :i a :C . :p rdfs:range :A . :j :p :i .",
        "x:i is both x:A and x:C, which are disjoint" + WAY_OUT + "m.ttl (x:i)",
    ),
    "disjoint union": (
        ":D owl:disjointUnionOf (:A :B) . :i a :A , :B .",
        "x:i is both x:A and x:B, which are disjoint" + WAY_OUT + "m.ttl (x:i)",
    ),
    "complements": (
        ":A owl:complementOf :B . :i a :A , :B .",
        "x:i is both x:A and x:B, which are complements" + WAY_OUT + "m.ttl (x:i, x:A)",
    ),
    "empty class": (
        ":A rdfs:subClassOf owl:Nothing . :i a :A .",
        "x:i is of the empty class owl:Nothing" + WAY_OUT + "m.ttl (x:i)",
    ),
    "same and different": (
        ":i owl:sameAs :k . :k owl:sameAs :j . :j owl:differentFrom :i .",
        "x:i and x:j are the same and are different (and 2 more)" + WAY_OUT + "m.ttl (x:i, x:j)",
    ),
    "all different": (
        "[] a owl:AllDifferent ; owl:distinctMembers (:i :j :k) . :k owl:sameAs :i .",
        "x:i and x:k are the same and are different" + WAY_OUT + "m.ttl (x:i, x:k)",
    ),
    "different from itself": (
        ":i owl:differentFrom :i .",
        "x:i is different from itself" + WAY_OUT + "m.ttl (x:i)",
    ),
    "functional property, different values": (
        ":p a owl:FunctionalProperty . :i :p :j , :k . :j owl:differentFrom :k .",
        "x:i has both x:j and x:k as x:p, which is functional, and they are different (and 1 more)"
        + WAY_OUT
        + "m.ttl (x:i, x:j, x:k, x:p)",
    ),
    "inverse functional property, different subjects": (
        ":p a owl:InverseFunctionalProperty . :i :p :k . :j :p :k . :i owl:differentFrom :j .",
        "x:i and x:j share a x:p, which is inverse functional, and they are different (and 1 more)"
        + WAY_OUT
        + "m.ttl (x:i, x:j, x:p)",
    ),
    "functional data property with two values": (
        ":p a owl:FunctionalProperty . :q rdfs:subPropertyOf :p . :i :p 5 ; :q 6.5 .",
        'x:i has two values of x:p, which is functional: "5"^^xsd:integer and "6.5"^^xsd:decimal'
        + WAY_OUT
        + "m.ttl (x:i, x:p)",
    ),
    "one key, two things": (
        ":A owl:hasKey (:p) . :i a :A ; :p 5 . :j a :A ; :p 5 . :i owl:differentFrom :j .",
        "x:i and x:j are the same and are different" + WAY_OUT + "m.ttl (x:i, x:j)",
    ),
    "irreflexive property": (
        ":p a owl:IrreflexiveProperty . :i :p :i .",
        "x:i has itself as x:p, which is irreflexive" + WAY_OUT + "m.ttl (x:i, x:p)",
    ),
    "asymmetric property": (
        ":p a owl:AsymmetricProperty . :j :p :i . :i :p :j .",
        "x:i and x:j have each other as x:p, which is asymmetric" + WAY_OUT + "m.ttl (x:i, x:j, x:p)",
    ),
    "disjoint properties": (
        ":q owl:propertyDisjointWith :p . :i :p :j ; :q :j .",
        "x:i has x:j as both x:p and x:q, which are disjoint" + WAY_OUT + "m.ttl (x:i, x:j, x:q)",
    ),
    "pairwise disjoint properties": (
        "[] a owl:AllDisjointProperties ; owl:members (:p :q) . :i :p 5 ; :q 5 .",
        'x:i has "5"^^xsd:integer as both x:p and x:q, which are disjoint' + WAY_OUT + 'm.ttl (x:i, "5"^^xsd:integer)',
    ),
    "negative assertion": (
        "[] owl:sourceIndividual :i ; owl:assertionProperty :p ; owl:targetIndividual :j . :i :p :j .",
        "x:i has x:j as x:p, and it is stated that it has not" + WAY_OUT + "m.ttl (x:i, x:j)",
    ),
    "at most none": (
        f":A rdfs:subClassOf [ {RESTRICTION}maxCardinality {NONE} ] . :i a :A ; :p :j .",
        "x:i has x:j as x:p, of which it must have none" + WAY_OUT + "m.ttl (x:i, x:j)",
    ),
    "at most none of a class": (
        (
            f":A rdfs:subClassOf [ {RESTRICTION}maxQualifiedCardinality {NONE} ; owl:onClass :B ] . "
            ":i a :A ; :p :j . :j a :B ."
        ),
        "x:i has x:j as x:p, of which it must have none that is x:B" + WAY_OUT + "m.ttl (x:i, x:j)",
    ),
    "at most one value": (
        f':A rdfs:subClassOf [ {RESTRICTION}cardinality {ONE} ] . :i a :A ; :p "a" , "b" .',
        'x:i has two values of x:p, of which it must have at most one: "a" and "b"' + WAY_OUT + "m.ttl (x:i)",
    ),
    "at most one thing": (
        f":A rdfs:subClassOf [ {RESTRICTION}maxCardinality {ONE} ] . :i a :A ; :p :j , :k . :j owl:differentFrom :k .",
        "x:j and x:k are the same and are different" + WAY_OUT + "m.ttl (x:j, x:k)",
    ),
    "no literal of its datatype": (
        ':i :p "five"^^xsd:integer .',
        'x:i has "five"^^xsd:integer as x:p, which is no xsd:integer' + WAY_OUT + "m.ttl (x:i)",
    ),
    "no time": (
        ':i :p "2012-05-07T25:00:00"^^xsd:dateTime .',
        'x:i has "2012-05-07T25:00:00"^^xsd:dateTime as x:p, which is no xsd:dateTime' + WAY_OUT + "m.ttl (x:i)",
    ),
    "text where a number belongs": (
        ':q rdfs:range xsd:double . :p rdfs:subPropertyOf :q . :i :p "many" .',
        'x:i has "many" as x:p, which is no xsd:double (and 1 more)' + WAY_OUT + "m.ttl (x:i, x:p)",
    ),
    "fraction where a whole number belongs": (
        ":p rdfs:range xsd:int . :i :p 2.5 .",
        'x:i has "2.5"^^xsd:decimal as x:p, which is no xsd:int' + WAY_OUT + "m.ttl (x:i, x:p)",
    ),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_a_contradiction_names_who_is_involved(case: str, tmp_path: Path) -> None:
    text, message = CONTRADICTIONS[case]
    write(tmp_path, {"m.ttl": text})
    with pytest.raises(OntologyError) as raised:
        load_knowledge(project(tmp_path, "m.ttl"))
    assert str(raised.value) == "the knowledge contradicts itself: " + message
    assert hasattr(raised.value, "__notes__") == (" more)" in message)


def test_all_contradictions_are_told_up_to_twenty(tmp_path: Path) -> None:
    write(tmp_path, {"m.ttl": ":A owl:disjointWith :B . " + " ".join(f":i{n} a :A, :B ." for n in range(25))})
    with pytest.raises(OntologyError, match="and 24 more") as raised:
        load_knowledge(project(tmp_path, "m.ttl"))
    *others, rest = raised.value.__notes__
    assert len({raised.value.message.partition(" (and")[0].rpartition(": ")[2], *others}) == 20
    assert all(other.endswith("is both x:A and x:B, which are disjoint") for other in others)
    assert rest == "and 5 more; `kaicep check` lists all of a project's own modules"


def test_a_contradiction_names_every_module_that_it_comes_from(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "classes.ttl": ":A owl:disjointWith :B .",
            "data/one.ttl": ":i a :A . :j a :A .",
            "data/other.ttl": ":i a :B .",
            "data/third.ttl": ":k a :B .",
        },
    )
    with pytest.raises(OntologyError) as raised:
        load_knowledge(project(tmp_path, "classes.ttl", "data/*.ttl"))
    assert str(raised.value) == (
        "the knowledge contradicts itself: x:i is both x:A and x:B, which are disjoint: "
        "take one of the statements back, see classes.ttl (x:A), data/one.ttl (x:i), data/other.ttl (x:i)"
    )


FINE = {
    "equal values of a functional property": ':p a owl:FunctionalProperty . :i :p 5 , 5.0 , "05"^^xsd:integer .',
    "one functional value, the same thing twice": ":p a owl:FunctionalProperty . :i :p :j , :k .",
    "members of AllDifferent with other names": (
        "[] a owl:AllDifferent ; owl:members (:i :j) . :i owl:sameAs :k . :j owl:sameAs :l ."
    ),
    "a class that nothing can be of": ":A owl:disjointWith :B . :C rdfs:subClassOf :A , :B .",
    "an integer where doubles belong": ":p rdfs:range xsd:double . :i :p 5 .",
    "a whole number in decimals": ":p rdfs:range xsd:integer . :i :p 5.0 .",
    "text with a language where strings belong": ':p rdfs:range xsd:string . :i :p "a"@en .',
    "any datatype where none is stated": ':p rdfs:range rdfs:Literal . :i :p 5 , "a" , "2012-05-07"^^xsd:date .',
    "a datatype of one's own": ':i :p "x"^^:color .',
}


@pytest.mark.parametrize("case", FINE)
def test_what_is_no_contradiction_is_let_through(case: str) -> None:
    assert len(KnowledgeBase.of_turtle(PREAMBLE + FINE[case]).modules) == 1


def test_without_a_reasoner_nothing_is_checked() -> None:
    text = PREAMBLE + ":A owl:disjointWith :B . :i a :A , :B ."
    assert KnowledgeBase.of_turtle(text, reasoner="none").is_known("http://example.org/x#i")
