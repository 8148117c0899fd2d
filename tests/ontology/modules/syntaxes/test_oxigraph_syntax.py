"""What Oxigraph reads; what is wrong is shown at its place."""

from __future__ import annotations

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology.modules import Module
from kaicep.ontology.modules.syntaxes import syntax_of
from pyoxigraph import Literal, NamedNode, Triple, serialize

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
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_shown_at_its_place(case: str) -> None:
    name, text, message = WRONG[case]
    with pytest.raises(OntologyError) as raised:
        Module.parse(name, text.encode())
    assert str(raised.value) == message


def test_named_graphs_are_one_module() -> None:
    content = b"<urn:g> { <urn:a> <urn:p> <urn:b> } <urn:h> { <urn:b> <urn:p> <urn:c> }"
    assert len(Module.parse("m.trig", content).triples) == 2


@pytest.mark.parametrize("name", ["m.nt", "m.ttl", "m.rdf", "m.jsonld"])
def test_how_much_is_read_is_told(name: str) -> None:
    """As the parser asks for more: from the first piece to the whole, never less than before."""
    triples = [Triple(NamedNode(f"urn:s{n}"), NamedNode("urn:p#p"), Literal("a text " * 20)) for n in range(2_000)]
    content = serialize(triples, format=syntax_of(name, "<rdf:RDF ").format) or b""  # type: ignore[attr-defined]
    shares: list[float] = []
    module = Module.parse(name, content, reading=shares.append)
    assert set(module.triples) == set(triples)
    assert (shares, shares[-1]) == (sorted(set(shares)), 1.0)
    assert len(shares) >= 50


def test_what_is_wrong_is_told_at_its_place_also_where_reading_is_told() -> None:
    name, text, message = WRONG["unknown prefix"]
    with pytest.raises(OntologyError) as error:
        Module.parse(name, text.encode(), reading=lambda _: None)
    assert str(error.value) == message
