"""What is written in XML is read as it was, by parsers of others; what no XML can say is refused."""

from __future__ import annotations

import io
from functools import partial

import pyoxigraph as ox
import pytest
import rdflib
from hypothesis import example, given
from hypothesis import strategies as st
from kaicep.archive.sparql import serialized
from kaicep.errors import ArchiveError

# XML 1.0, 2.2: what a document may have.
CHARACTERS = st.characters(
    min_codepoint=0x20, exclude_categories=["Cs"], include_characters="\t\n\r", exclude_characters="\ufffe\uffff"
)
S, P = ox.NamedNode("urn:ex:s"), ox.NamedNode("urn:ex:p")


def rdf_xml(*triples: ox.Triple) -> bytes:
    return serialized(partial(ox.serialize, triples, format=ox.RdfFormat.RDF_XML), io.BytesIO(), xml=True)


def solution(text: str) -> bytes:
    found = ox.Store().query("SELECT ?x {}", substitutions={ox.Variable("x"): ox.Literal(text)})
    assert isinstance(found, ox.QuerySolutions)
    return serialized(partial(found.serialize, format=ox.QueryResultsFormat.XML), io.BytesIO(), xml=True)


@given(st.text(CHARACTERS))
@example("1\r2\r\n3")
def test_a_literal_is_read_as_it_was(text: str) -> None:
    (triple,) = rdflib.Graph().parse(rdf_xml(ox.Triple(S, P, ox.Literal(text))), format="xml")
    assert str(triple[2]) == text
    (row,) = rdflib.query.Result.parse(io.BytesIO(solution(text)), format="xml").bindings
    assert str(row[rdflib.Variable("x")]) == text


def test_ends_of_lines_are_the_same_to_oxigraph() -> None:
    (quad,) = ox.parse(rdf_xml(ox.Triple(S, P, ox.Literal("1\r2\r\n3"))), format=ox.RdfFormat.RDF_XML)
    assert quad.object == ox.Literal("1\r2\r\n3")


@pytest.mark.parametrize("code", [0, 1, 8, 0xB, 0x1F, 0xFFFE, 0xFFFF])
def test_a_character_that_xml_has_not_is_refused(code: int) -> None:
    with pytest.raises(ArchiveError, match=rf"XML cannot have the character U\+{code:04X}") as refused:
        solution(f"a{chr(code)}")
    assert refused.value.hint == "take another form, which can"
    with pytest.raises(ArchiveError):
        rdf_xml(ox.Triple(S, P, ox.Literal(chr(code))))


@pytest.mark.parametrize("iri", ["urn:1", "http://e/", "http://e/#"])
def test_a_property_without_a_name_is_refused(iri: str) -> None:
    with pytest.raises(ArchiveError, match=f"RDF/XML cannot name the property <{iri}>"):
        rdf_xml(ox.Triple(S, ox.NamedNode(iri), ox.Literal("<oxprefix: x")))
    assert b"&lt;oxprefix: x" in rdf_xml(ox.Triple(S, P, ox.Literal("<oxprefix: x")))


def test_other_forms_are_as_they_are() -> None:
    write = partial(ox.serialize, [ox.Triple(S, P, ox.Literal("\x01"))], format=ox.RdfFormat.N_TRIPLES)
    assert serialized(write, io.BytesIO(), xml=False) == b'<urn:ex:s> <urn:ex:p> "\\u0001" .\n'


def test_what_a_form_does_not_know_is_refused_and_what_a_disk_refuses_is_not_mistaken_for_that() -> None:
    nested = ox.Triple(S, P, ox.Triple(S, P, S))
    with pytest.raises(ArchiveError, match="JSON-LD does not support"):
        serialized(partial(ox.serialize, [nested], format=ox.RdfFormat.JSON_LD), io.BytesIO(), xml=False)

    def full(_: io.BytesIO) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        serialized(full, io.BytesIO(), xml=False)
