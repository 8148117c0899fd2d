"""The name of a file tells its syntax, and its text where several share a suffix; every syntax says the same."""

from __future__ import annotations

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology.modules import Module
from kaicep.ontology.modules.syntaxes import syntax_of
from kaicep.ontology.modules.syntaxes.owl_xml import OWL_XML as OWL_XML_SYNTAX
from kaicep.ontology.modules.syntaxes.rdf_xml import RDF_XML
from kaicep.ontology.modules.syntaxes.syntax import RdfSyntax
from kaicep.ontology.modules.syntaxes.turtle import TURTLE as TURTLE_SYNTAX
from pyoxigraph import RdfFormat, parse, serialize

TURTLE = """\
@prefix : <http://example.org/x#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.org/x> a owl:Ontology ; owl:versionIRI <http://example.org/x/1> ; owl:imports <http://example.org/y> .
:A a owl:Class ; rdfs:label "A"@en .
:i a :A ; :count 5 .
"""
OWL_XML = """\
<?xml version="1.0"?>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://example.org/x" versionIRI="http://example.org/x/1">
  <Prefix name="" IRI="http://example.org/x#"/>
  <Import>http://example.org/y</Import>
  <Declaration><Class IRI="#A"/></Declaration>
  <AnnotationAssertion>
    <AnnotationProperty IRI="http://www.w3.org/2000/01/rdf-schema#label"/><IRI>#A</IRI>
    <Literal xml:lang="en">A</Literal>
  </AnnotationAssertion>
  <ClassAssertion><Class abbreviatedIRI=":A"/><NamedIndividual IRI="#i"/></ClassAssertion>
  <DataPropertyAssertion>
    <DataProperty IRI="#count"/><NamedIndividual IRI="#i"/>
    <Literal datatypeIRI="http://www.w3.org/2001/XMLSchema#integer">5</Literal>
  </DataPropertyAssertion>
</Ontology>
"""
EXPECTED = frozenset(quad.triple for quad in parse(TURTLE, RdfFormat.TURTLE))


def written(syntax: RdfFormat) -> bytes:
    content = serialize(EXPECTED, format=syntax)
    assert content is not None
    return content


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.ttl", TURTLE.encode()),
        ("m.owl", TURTLE.encode()),
        ("m.nt", written(RdfFormat.N_TRIPLES)),
        ("m.nq", written(RdfFormat.N_QUADS)),
        ("m.trig", written(RdfFormat.TRIG)),
        ("m.jsonld", written(RdfFormat.JSON_LD)),
        ("m.json", written(RdfFormat.JSON_LD)),
        ("m.rdf", written(RdfFormat.RDF_XML)),
        ("m.owl", written(RdfFormat.RDF_XML)),
        ("M.XML", written(RdfFormat.RDF_XML)),
        ("m.owx", OWL_XML.encode()),
        ("m.owl", OWL_XML.encode()),
    ],
)
def test_every_syntax_says_the_same(name: str, content: bytes) -> None:
    module = Module.parse(name, content)
    assert frozenset(module.triples) == EXPECTED
    assert module.declares == {"http://example.org/x", "http://example.org/x/1"}
    assert module.imports == ("http://example.org/y",)


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        ('<?xml version="1.0"?><rdf:RDF>', RDF_XML),
        ('<?xml version="1.0"?><other/>', RDF_XML),
        ('<Ontology xmlns="x">', OWL_XML_SYNTAX),
        ("<urn:a> <urn:b> <urn:c> .", TURTLE_SYNTAX),
    ],
)
@pytest.mark.parametrize("name", ["m.owl", "m.rdf", "m.xml", "m.owx"])
def test_the_text_decides_where_syntaxes_share_a_suffix(name: str, text: str, syntax: RdfSyntax) -> None:
    assert syntax_of(name, text) is syntax


def test_an_unknown_suffix_is_refused() -> None:
    with pytest.raises(OntologyError) as raised:
        syntax_of("m.txt", "")
    assert str(raised.value) == (
        "m.txt: no RDF syntax has the suffix '.txt': use one of .ttl, .turtle, .nt, .nq, .trig, .jsonld, .json, "
        ".owl, .rdf, .xml, .owx"
    )
