"""RDF/XML; its parser gives no place, so that it is looked for."""

from __future__ import annotations

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology.modules import Module
from kaicep.ontology.modules.syntaxes.rdf_xml import root_element
from pyoxigraph import Literal

WRONG = {
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
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_shown_at_its_place(case: str) -> None:
    name, text, message = WRONG[case]
    with pytest.raises(OntologyError) as raised:
        Module.parse(name, text.encode())
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ('<?xml version="1.0"?><rdf:RDF xmlns:rdf="x">', "RDF"),
        ("<RDF>", "RDF"),
        ('<!-- a comment --><Ontology xmlns="y">', "Ontology"),
        ("<urn:a> <urn:b> <urn:c> .", None),
    ],
)
def test_the_root_element(text: str, root: str | None) -> None:
    assert root_element(text) == root


def _document(entities: str, used: str) -> str:
    return (
        f'<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [\n{entities}]>\n'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
        f'<rdf:Description rdf:about="http://e/a"><e:p>{used}</e:p></rdf:Description></rdf:RDF>'
    )


def _laughs(levels: int, name: str = "abcdefgh") -> str:
    lines = [f'<!ENTITY {name[0]} "{"ha" * 5}">\n']
    lines += [f'<!ENTITY {name[n + 1]} "{f"&{name[n]};" * 10}">\n' for n in range(levels)]
    return "".join(lines)


@pytest.mark.parametrize(
    ("entities", "used", "line"),
    [
        pytest.param(_laughs(6), "&g;", 8, id="entities of entities"),
        pytest.param(_laughs(6, "aaaaaaa"), "&a;", 8, id="one that is declared again"),
        pytest.param(f'<!ENTITY a "{"x" * 60_000}">\n', "&a;" * 30, 3, id="a long one often"),
    ],
)
def test_entities_that_make_much_of_little_are_refused(entities: str, used: str, line: int) -> None:
    """569 bytes became 36 MB."""
    with pytest.raises(OntologyError) as error:
        Module.parse("m.rdf", _document(entities, used).encode())
    said = "entities stand for far more text than the document has"
    assert (error.value.message, error.value.hint) == (said, "write out what they stand for")
    assert error.value.place is not None
    assert (error.value.place.line, error.value.place.column) == (line, 1)


def test_entities_that_shorten_iris_are_read() -> None:
    entities = '<!ENTITY e "http://e/">\n<!ENTITY x "&e;x/">\n'
    (triple,) = Module.parse("m.rdf", _document(entities, "&x;1 " * 300).encode()).triples
    assert isinstance(triple.object, Literal)
    assert triple.object.value == "http://e/x/1 " * 300
