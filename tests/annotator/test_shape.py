"""Which column of an event table stands for which triple."""

from __future__ import annotations

from kaicep.annotator import attribute_iri, event_prefix, event_shape
from kaicep.annotator.linking.iri_template import IriTemplate
from kaicep.annotator.shape import RootProperty
from kaicep.language.nodes import XSD, AttributeType, StreamType, ValueType
from kaicep.ontology import KnowledgeBase

EX = "http://example.org/"
KNOWLEDGE = KnowledgeBase.of_turtle(
    """@prefix ex: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ex:Report rdfs:subClassOf ex:Event . ex:flow owl:equivalentProperty ex:rate ; rdfs:subPropertyOf ex:measured ."""
)


def test_names_in_iris_are_percent_encoded() -> None:
    assert attribute_iri("my stream", "a/b") == "urn:kaicep:attribute:my%20stream:a%2Fb"
    assert event_prefix("my stream") == "urn:kaicep:event:my%20stream/"


def test_root_properties_are_the_declared_one_and_what_follows_from_it() -> None:
    """Equivalents and superproperties give triples, too; only the declared one is canonical."""
    stream = StreamType("air", (AttributeType("flow", ValueType.DOUBLE, EX + "flow"),), EX + "Report", "at")
    shape = event_shape(stream, KNOWLEDGE, datatypes={"flow": XSD + "float"})
    assert shape.types == (EX + "Report", EX + "Event")
    assert shape.properties == (
        RootProperty(EX + "flow", "flow", None, XSD + "float", canonical=True),
        RootProperty(EX + "measured", "flow", None, XSD + "float", canonical=False),
        RootProperty(EX + "rate", "flow", None, XSD + "float", canonical=False),
    )


def test_attributes_of_individuals_have_a_column_for_them() -> None:
    """Named by the property's IRI; an attribute of IRIs is its own column of individuals."""
    stream = StreamType(
        "air",
        (
            AttributeType("sensor", ValueType.STRING, EX + "source", individual=True),
            AttributeType("node", ValueType.IRI),
            AttributeType("note", ValueType.STRING),
            AttributeType("length", ValueType.DURATION),
        ),
    )
    shape = event_shape(stream, KNOWLEDGE, templates={"sensor": IriTemplate.parse("urn:{}")})
    assert [(a.name, a.individual, a.template) for a in shape.attributes] == [
        ("sensor", EX + "source", IriTemplate("urn:", "", encoded=True)),
        ("node", "node", None),
        ("note", None, None),
    ]
    assert shape.attributes[-1].property == attribute_iri("air", "note")
    assert (shape.types, shape.event_type, shape.time) == ((), None, "_time")
