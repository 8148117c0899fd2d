"""JSON-LD; nothing is fetched for it."""

from __future__ import annotations

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology.modules import Module

WRONG = {
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
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_shown_at_its_place(case: str) -> None:
    name, text, message = WRONG[case]
    with pytest.raises(OntologyError) as raised:
        Module.parse(name, text.encode())
    assert str(raised.value) == message


def test_a_context_in_the_file_is_read() -> None:
    content = b'{"@context": {"p": "urn:p"}, "@id": "urn:a", "p": "x"}'
    assert [str(triple) for triple in Module.parse("m.jsonld", content).triples] == ['<urn:a> <urn:p> "x"']
