"""RDF/XML; its parser gives no place, so that it is looked for."""

from __future__ import annotations

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology.modules import Module
from kaicep.ontology.modules.syntaxes.rdf_xml import root_element

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
