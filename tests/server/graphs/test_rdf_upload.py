"""Documents that are uploaded: one, or several in a form; nothing is fetched, and nothing else is read."""

from __future__ import annotations

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology.modules import ntriples
from kaicep.server.graphs.rdf_upload import RdfPart, parsed, rdf_parts
from kaicep.server.problem import ProblemError

FORM = (
    b"--cut\r\nContent-Disposition: form-data; name=a; filename=a.ttl\r\nContent-Type: text/turtle; charset=utf-8\r\n"
    b"\r\n<a> <b> '\xc3\xa4' .\r\n--cut\r\nContent-Disposition: form-data; name=b; filename=b.nt\r\n"
    b"Content-Type: application/n-triples\r\n\r\n<urn:c> <urn:d> <urn:e> .\r\n--cut--\r\n"
)


def test_a_body_is_a_document() -> None:
    assert rdf_parts("text/turtle; charset=UTF-8", b"<a> <b> 1 .") == (RdfPart(".ttl", b"<a> <b> 1 ."),)


def test_a_form_has_several() -> None:
    parts = rdf_parts("multipart/form-data; boundary=cut", FORM)
    assert [part.suffix for part in parts] == [".ttl", ".nt"]
    assert b"".join(map(ntriples, parsed(parts, "http://here/"))).decode().split("\n")[:2] == [
        '<http://here/a> <http://here/b> "ä" .',
        "<urn:c> <urn:d> <urn:e> .",
    ]


def test_a_form_in_a_form_in_a_form_is_not_taken_apart() -> None:
    nested = b"".join(
        f"--{depth}\r\nContent-Type: multipart/mixed; boundary={depth + 1}\r\n\r\n".encode() for depth in range(3_000)
    )
    with pytest.raises(ProblemError, match="multipart/mixed is no form of triples"):
        rdf_parts("multipart/form-data; boundary=0", nested)


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        (None, b"", 415),
        ("text/html", b"", 415),
        ("application/trig", b"", 415),
        ("text/turtle; charset=latin-1", b"", 415),
        ("multipart/form-data", b"no parts", 400),
        ("multipart/form-data", FORM, 400),
        ("multipart/form-data; boundary=cut", FORM.replace(b"text/turtle", b"text/html"), 415),
        ("multipart/form-data; boundary=cut", FORM.replace(b"text/turtle", b"multipart/form-data; boundary=in"), 415),
        ("multipart/form-data; boundary=cut", 101 * b"--cut\r\nContent-Type: text/turtle\r\n\r\n\r\n", 400),
    ],
)
def test_what_is_no_rdf_is_refused(content_type: str | None, body: bytes, status: int) -> None:
    with pytest.raises(ProblemError) as refused:
        rdf_parts(content_type, body)
    assert refused.value.status == status


def test_blank_nodes_have_the_same_names_each_time() -> None:
    parts = (RdfPart(".ttl", b"[] <urn:p> [] ."),)
    (one,), (other,) = parsed(parts, "urn:x"), parsed(parts, "urn:x")
    assert one.triples == other.triples


def test_how_much_of_all_is_read_is_told() -> None:
    """Of two documents the first one is half."""
    parts, told = rdf_parts("multipart/form-data; boundary=cut", FORM), list[float]()
    parsed(parts, "urn:x", told.append)
    halves = [len(part.content) / sum(len(one.content) for one in parts) for part in parts]
    assert told == [pytest.approx(halves[0]), pytest.approx(1.0)]
    assert parsed((RdfPart(".ttl", b""),), "urn:x", told.append)[0].triples == ()


BOMB = b'<!DOCTYPE r [<!ENTITY a "' + 1000 * b"x" + b'"><!ENTITY b "' + 2000 * b"&a;" + b'">]>'
OUTSIDE = b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
RDF = b'<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e:"><r:Description r:about="urn:s">'


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".ttl", b"<a> <b"),
        (".rdf", BOMB + RDF + b"<e:p>&b;</e:p></r:Description></r:RDF>"),
        (".rdf", OUTSIDE + RDF + b"<e:p>&x;</e:p></r:Description></r:RDF>"),
        (".jsonld", b'{"@context": "http://other/context", "@id": "urn:s", "p": 1}'),
    ],
)
def test_what_is_broken_or_would_be_fetched_is_refused(suffix: str, content: bytes) -> None:
    with pytest.raises(OntologyError):
        parsed((RdfPart(suffix, content),), "urn:x")
