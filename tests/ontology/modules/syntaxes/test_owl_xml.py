"""OWL/XML: what owlready2 would pass over or get wrong is refused."""

from __future__ import annotations

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology.modules import Module

WRONG = {
    "ill-formed OWL/XML": (
        "m.owx",
        '<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="urn:o">\n <Declaration></Ontology>',
        """\
m.owx:2:17: no OWL/XML: mismatched tag
  2 |  <Declaration></Ontology>
    |                 ^""",
    ),
    "unknown prefix in OWL/XML": (
        "m.owx",
        (
            '<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="urn:o">\n'
            ' <Declaration><Class abbreviatedIRI="ex:A"/></Declaration></Ontology>'
        ),
        """\
m.owx:2:45: no OWL/XML: there is no prefix or attribute 'ex'
  2 |  <Declaration><Class abbreviatedIRI="ex:A"/></Declaration></Ontology>
    |                                             ^""",
    ),
    "axiom that OWL/XML's reader passes over": (
        "m.owx",
        (
            '<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="urn:o">\n'
            ' <HasKey><Class IRI="#A"/><DataProperty IRI="#k"/></HasKey></Ontology>'
        ),
        """\
m.owx:2:2: HasKey cannot be read from OWL/XML
  2 |  <HasKey><Class IRI="#A"/><DataProperty IRI="#k"/></HasKey></Ontology>
    |  ^ save this ontology as Turtle or RDF/XML""",
    ),
    "axiom that OWL/XML's reader cuts": (
        "m.owx",
        (
            '<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="urn:o">\n'
            ' <EquivalentClasses><Class IRI="#A"/><Class IRI="#B"/><Class IRI="#C"/>\n</EquivalentClasses></Ontology>'
        ),
        """\
m.owx:3:1: EquivalentClasses of more than two cannot be read from OWL/XML
  3 | </EquivalentClasses></Ontology>
    | ^ write it pair by pair, or save this ontology as Turtle or RDF/XML""",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_shown_at_its_place(case: str) -> None:
    name, text, message = WRONG[case]
    with pytest.raises(OntologyError) as raised:
        Module.parse(name, text.encode())
    assert str(raised.value) == message


@pytest.mark.parametrize(
    "base", ['ontologyIRI="http://example.org/x"', 'ontologyIRI="urn:x" xml:base="http://example.org/x"']
)
def test_owl_xml_takes_any_absolute_iri_and_resolves_relative_ones(base: str) -> None:
    content = (
        f'<?xml version="1.0"?>\n<!-- > --><Ontology xmlns="http://www.w3.org/2002/07/owl#" {base}>'
        '<Declaration><Class IRI="urn:ex:A"/></Declaration><Declaration><Class IRI="B"/></Declaration></Ontology>'
    )
    triples = [str(triple) for triple in Module.parse("m.owx", content.encode()).triples]
    classes = [triple.split()[0] for triple in triples if triple.endswith("#Class>")]
    assert classes == ["<urn:ex:A>", "<http://example.org/B>"]


def test_owl_xml_keeps_class_expressions_and_numbers() -> None:
    content = b"""<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://example.org/x">
      <SubClassOf><Class IRI="#A"/><ObjectSomeValuesFrom><ObjectProperty IRI="#p"/><Class IRI="#B"/>
      </ObjectSomeValuesFrom></SubClassOf>
      <DataPropertyAssertion><DataProperty IRI="#d"/><NamedIndividual IRI="#i"/>
      <Literal datatypeIRI="http://www.w3.org/2001/XMLSchema#decimal">0.0000001</Literal></DataPropertyAssertion>
      <DataPropertyAssertion><DataProperty IRI="#d"/><NamedIndividual IRI="#i"/>
      <Literal datatypeIRI="http://www.w3.org/2001/XMLSchema#double">-INF</Literal></DataPropertyAssertion>
    </Ontology>"""
    objects = {str(t.object) for t in Module.parse("m.owx", content).triples}
    assert objects >= {
        "<http://example.org/x#p>",
        "<http://example.org/x#B>",
        '"0.0000001"^^<http://www.w3.org/2001/XMLSchema#decimal>',
        '"-INF"^^<http://www.w3.org/2001/XMLSchema#double>',
    }
