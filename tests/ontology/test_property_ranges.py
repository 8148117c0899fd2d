"""The type of a property's values: by its range, else by the values that are there."""

from __future__ import annotations

import pytest
from kaicep.language.nodes import ValueType
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.property_ranges import type_of_values
from pyoxigraph import RdfFormat, Store
from support.ontologies import PREAMBLE, X

RANGES = {
    "stated": (":p rdfs:range xsd:int . :i :q :j .", ValueType.INTEGER),
    "stated of an equivalent property": (
        ":q owl:equivalentProperty :p ; rdfs:range xsd:dateTime .",
        ValueType.DATETIME,
    ),
    "stated of a more general property": (":p rdfs:subPropertyOf :q . :q rdfs:range xsd:string .", ValueType.STRING),
    "a class": (":p rdfs:range :Room .", ValueType.IRI),
    "an object property": (":p a owl:ObjectProperty .", ValueType.IRI),
    "text with a language": (":p rdfs:range rdf:langString .", ValueType.STRING),
    "says nothing, values do": (":p rdfs:range rdfs:Literal . :i :p true .", ValueType.BOOLEAN),
    "values": (":i :p 5 . :j :p 6 .", ValueType.INTEGER),
    "integers among doubles": (":i :p 5 . :j :p 6.5 .", ValueType.DOUBLE),
    "things": (":i :p :j .", ValueType.IRI),
    "things and values": (':i :p :j , "a" .', ValueType.TERM),
    "text": (':i :p "a"@en , "b" .', ValueType.STRING),
    "a datatype without a type": (":p rdfs:range xsd:date .", ValueType.TERM),
    "a datatype of one's own": (":p rdfs:range :color . :color a rdfs:Datatype .", ValueType.TERM),
    "blank nodes": (":i :p [] .", ValueType.TERM),
    "two types": (":p rdfs:range xsd:integer , xsd:string .", ValueType.TERM),
    "nothing": ("", ValueType.TERM),
}


@pytest.mark.parametrize("case", RANGES)
def test_ranges(case: str) -> None:
    text, expected = RANGES[case]
    assert KnowledgeBase.of_turtle(PREAMBLE + text).range_of(X + "p") is expected


def test_the_range_of_any_of_the_names_counts_and_the_values_of_the_first() -> None:
    store = Store()
    store.load((PREAMBLE + ":q rdfs:range xsd:double . :i :p 5 ; :r true .").encode(), RdfFormat.TURTLE)
    assert type_of_values(store, [X + "p", X + "q"]) is ValueType.DOUBLE
    assert type_of_values(store, [X + "p", X + "r"]) is ValueType.INTEGER
