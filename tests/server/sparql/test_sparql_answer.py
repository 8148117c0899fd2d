"""Answers are bytes in the form that is wanted, over the graphs that are named, and no larger than they may be."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pyoxigraph as ox
import pytest
from kaicep.errors import ArchiveError
from kaicep.server.problem import ProblemError
from kaicep.server.sparql.media_types import GRAPH_FORMATS, GRAPH_TYPES
from kaicep.server.sparql.sparql_answer import BoundedBuffer, SparqlQuestion, answered

SUBJECTS = SparqlQuestion(
    "SELECT ?s { ?s e:p ?o } ORDER BY ?s", "http://here/sparql", {"e": "urn:"}, results=("text/csv",)
)


@pytest.fixture(scope="module")
def store() -> ox.Store:
    store = ox.Store()
    store.update("INSERT DATA { <urn:d> <urn:p> 0 }")
    store.update("INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 } GRAPH <urn:h> { <urn:b> <urn:p> 2 } }")
    return store


def lines(store: ox.Store, question: SparqlQuestion) -> list[str]:
    return answered(store, question).content.decode().split()[1:]


def test_the_default_graph_is_as_the_dataset_says(store: ox.Store) -> None:
    assert lines(store, SUBJECTS) == ["urn:d"]
    assert lines(store, replace(SUBJECTS, union=True)) == ["urn:a", "urn:b", "urn:d"]


def test_the_graphs_of_the_request_win(store: ox.Store) -> None:
    over_g = replace(SUBJECTS, union=True, default=("urn:g",), named=())
    assert lines(store, over_g) == ["urn:a"]
    assert lines(store, replace(over_g, default=("urn:g", "urn:h"))) == ["urn:a", "urn:b"]
    assert lines(store, replace(over_g, text="SELECT ?s FROM <urn:h> { ?s ?p ?o }")) == ["urn:a"]
    assert lines(store, replace(over_g, default=(), named=("urn:h",))) == []
    assert lines(store, replace(over_g, default=(), named=("urn:h",), text="SELECT ?s { GRAPH ?g { ?s ?p ?o } }")) == [
        "urn:b"
    ]


def test_those_of_the_text_count_where_the_request_names_none(store: ox.Store) -> None:
    assert lines(store, replace(SUBJECTS, union=True, text="SELECT ?s FROM <urn:h> { ?s ?p ?o }")) == ["urn:b"]


def test_each_kind_of_answer_has_its_forms(store: ox.Store) -> None:
    def media(text: str, *taken: str) -> tuple[str, bytes]:
        found = answered(store, replace(SUBJECTS, text=text, results=taken[:1], graphs=taken[1:]))
        return found.media_type, found.content

    assert media("ASK {}", "application/json", "text/turtle")[0] == "application/json"
    assert json.loads(media("ASK {}", "application/sparql-results+json")[1]) == {"head": {}, "boolean": True}
    assert media("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }", "text/csv", "application/n-triples") == (
        "application/n-triples",
        b'<urn:d> <urn:p> "0"^^<http://www.w3.org/2001/XMLSchema#integer> .\n',
    )
    with pytest.raises(ProblemError, match="triples are not given in any form") as refused:
        media("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }", "text/csv")
    assert refused.value.status == 406


@pytest.mark.parametrize("form", GRAPH_TYPES)
def test_no_triples_at_all_are_a_document_too(store: ox.Store, form: str) -> None:
    """An empty body is no answer to clients that ask whether there is one."""
    found = answered(store, replace(SUBJECTS, text="CONSTRUCT { ?s ?p ?o } { ?s ?p 7 }", graphs=(form,)))
    assert found.content
    assert list(ox.parse(found.content, format=GRAPH_FORMATS[form])) == []


def test_what_a_form_cannot_say_is_refused(store: ox.Store) -> None:
    """A document that no client can read would be answered by a riddle of its parser."""

    def answer(text: str) -> bytes:
        xml, json_ld = ("application/sparql-results+xml",), ("application/ld+json",)
        return answered(store, replace(SUBJECTS, text=text, results=xml, graphs=json_ld)).content

    assert b"1&#xD;2" in answer(r'SELECT ("1\r2" AS ?x) {}')
    with pytest.raises(ProblemError, match=r"U\+0001") as refused:
        answer(r'SELECT ("\u0001" AS ?x) {}')
    assert refused.value.status == 406
    with pytest.raises(ProblemError, match=r"RDF 1\.2") as refused:
        answer("CONSTRUCT { <urn:s> <urn:p> <<( <urn:a> <urn:b> 1 )>> } {}")
    assert refused.value.status == 406


def test_relative_names_are_resolved(store: ox.Store) -> None:
    assert lines(store, replace(SUBJECTS, text="SELECT (<x> AS ?x) {}")) == ["http://here/x"]


def test_an_answer_is_no_larger_than_it_may_be(store: ox.Store) -> None:
    with pytest.raises(ProblemError, match="the answer has more than 10 bytes") as refused:
        answered(store, replace(SUBJECTS, text="SELECT * { ?s ?p ?o }", largest=10))
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT * {", r"query:1:11: the query ends too early"),
        ("SELECT * { ?s f:p ?o }", "unknown prefix 'f:'"),
        ("INSERT DATA { <urn:s> <urn:p> 1 }", "this is an update, and no query"),
        ("SELECT * { SERVICE <http://other/> { ?s ?p ?o } }", "SERVICE asks another endpoint"),
        ("DESCRIBE " + " ".join(f"<urn:{i}>" for i in range(2000)), "DESCRIBE of 2,000 resources"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(store: ox.Store, text: str, message: str) -> None:
    with pytest.raises(ArchiveError, match=message) as refused:
        answered(store, replace(SUBJECTS, text=text))
    assert refused.value.place is not None


def test_a_buffer_is_written_to() -> None:
    buffer = BoundedBuffer(4)
    assert (buffer.write(b"1234"), buffer.getvalue()) == (4, b"1234")
    with pytest.raises(ProblemError):
        buffer.write(b"5")


def test_who_answers_loads_little() -> None:
    """A process that was ended is begun again while others wait."""
    program = (
        "import sys; import kaicep.server.sparql.sparql_answer, kaicep.server.sparql.sparql_update\n"
        "print(sorted({'pyarrow', 'polars', 'pydantic', 'rich', 'fastapi', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
