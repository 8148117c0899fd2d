"""What is below itself: classes and properties, declared or used; RDF, RDFS and OWL left out."""

from __future__ import annotations

from kaicep.ontology.reasoners.reflexive import reflexive
from pyoxigraph import RdfFormat, Store
from support.ontologies import PREAMBLE, X


def below_itself(text: str) -> set[str]:
    """`name relation` of each triple, which is about one term."""
    store = Store()
    store.load((PREAMBLE + text).encode(), RdfFormat.TURTLE)
    found = list(reflexive(store))
    assert all(triple.subject == triple.object for triple in found)
    return {f"{str(t.subject)[1:-1].removeprefix(X)} {t.predicate.value.rpartition('#')[2]}" for t in found}


def test_classes_that_are_declared_or_used() -> None:
    assert below_itself(":A a owl:Class . :B a rdfs:Class . :C rdfs:subClassOf :D . :i a :E .") == {
        f"{name} subClassOf" for name in "ABCDE"
    }


def test_properties_that_are_declared_or_have_others_above_or_below() -> None:
    text = ":p a owl:ObjectProperty . :q rdfs:subPropertyOf :r . :i :used :j ."
    assert below_itself(text) == {f"{name} subPropertyOf" for name in "pqr"}


def test_no_blank_node_is_a_class_by_name() -> None:
    assert below_itself(":A rdfs:subClassOf [ owl:unionOf ( :B :C ) ] .") == {"A subClassOf"}
