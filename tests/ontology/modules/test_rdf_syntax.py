"""Every syntax gives the same triples; what is wrong is shown at its place."""

from __future__ import annotations

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology.modules.module import Module
from pyoxigraph import BlankNode, RdfFormat, parse, serialize

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


def test_named_graphs_are_one_module() -> None:
    content = b"<urn:g> { <urn:a> <urn:p> <urn:b> } <urn:h> { <urn:b> <urn:p> <urn:c> }"
    assert len(Module.parse("m.trig", content).triples) == 2


def test_relative_names_start_from_the_file() -> None:
    module = Module.parse("m.ttl", b"<> <urn:p> <b> .", base="file:///project/m.ttl")
    assert [str(triple) for triple in module.triples] == ["<file:///project/m.ttl> <urn:p> <file:///project/b>"]


def blank_nodes(module: Module) -> set[str]:
    terms = {term for triple in module.triples for term in (triple.subject, triple.object)}
    return {term.value for term in terms if isinstance(term, BlankNode)}


def test_blank_nodes_of_modules_never_clash_and_never_change() -> None:
    one, other = b"_:a <urn:p> [] .", b"_:a <urn:q> _:b ."
    first, again, second = (Module.parse("m.ttl", content) for content in (one, one, other))
    assert blank_nodes(first) == blank_nodes(again)
    assert len(blank_nodes(first) | blank_nodes(second)) == 4


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


WRONG = {
    "unknown prefix": (
        "m.ttl",
        "@prefix : <urn:x#> .\n:a :b foo:c .\n",
        """\
m.ttl:2:7: no Turtle: The prefix foo: has not been declared
  2 | :a :b foo:c .
    |       ^^^^^""",
    ),
    "no full stop": (
        "m.ttl",
        "<urn:a> <urn:b>",
        """\
m.ttl:1:16: no Turtle: Unexpected end
  1 | <urn:a> <urn:b>
    |                ^""",
    ),
    "prefixed name in N-Triples": (
        "m.nt",
        "<urn:a> <urn:b> <urn:c> .\n<urn:a> urn:b <urn:c> .\n",
        """\
m.nt:2:9: no N-Triples: The predicate of a triple must be an IRI
  2 | <urn:a> urn:b <urn:c> .
    |         ^^^^^""",
    ),
    "line break in N-Quads": (
        "m.nq",
        "<urn:a> <urn:b>\n<urn:c> <urn:d> <urn:e> .",
        """\
m.nq:2:1: no N-Quads: line jumps are not allowed in the middle of triples
  2 | <urn:c> <urn:d> <urn:e> .
    | ^""",
    ),
    "unknown prefix in TriG": (
        "m.trig",
        "<urn:g> { <urn:a> <urn:b> foo:c }",
        """\
m.trig:1:27: no TriG: The prefix foo: has not been declared
  1 | <urn:g> { <urn:a> <urn:b> foo:c }
    |                           ^^^^^""",
    ),
    "no JSON": (
        "m.jsonld",
        '{"@id": "urn:a",\n "urn:b": ]}',
        """\
m.jsonld:2:11: no JSON-LD: Unexpected closing square bracket, no array to close
  2 |  "urn:b": ]}
    |           ^""",
    ),
    "remote context": (
        "m.jsonld",
        '{"@context": "https://schema.org/",\n "name": "x"}',
        """\
m.jsonld:1:2: this JSON-LD names a remote @context, and kaicep fetches nothing
  1 | {"@context": "https://schema.org/",
    |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ write the context into the file""",
    ),
    "ill-formed RDF/XML": (
        "m.rdf",
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n <rdf:Description></rdf:RDF>',
        """\
m.rdf:2:21: no RDF/XML: ill-formed document: expected `</rdf:Description>`, but `</rdf:RDF>` was found
  2 |  <rdf:Description></rdf:RDF>
    |                     ^""",
    ),
    "no IRI in RDF/XML": (
        "m.rdf",
        (
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n'
            ' <rdf:Description rdf:about="http://a b"/>\n</rdf:RDF>'
        ),
        """\
m.rdf:2:30: no RDF/XML: error while parsing IRI 'http://a b': Invalid IRI code point ' '
  2 |  <rdf:Description rdf:about="http://a b"/>
    |                              ^^^^^^^^^^""",
    ),
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
    "unknown suffix": (
        "m.txt",
        "",
        (
            "m.txt: no RDF syntax has the suffix '.txt': use one of .ttl, .turtle, .nt, .nq, .trig, .jsonld, .json, "
            ".owl, .rdf, .xml, .owx"
        ),
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_shown_at_its_place(case: str) -> None:
    name, text, message = WRONG[case]
    with pytest.raises(OntologyError) as raised:
        Module.parse(name, text.encode())
    assert str(raised.value) == message
