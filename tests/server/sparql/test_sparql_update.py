"""Updates are done as a whole or not at all, over the dataset that the request names, and fetch nothing."""

from __future__ import annotations

from dataclasses import replace

import pyoxigraph as ox
import pytest
from kaicep.errors import ArchiveError
from kaicep.server.problem import ProblemError
from kaicep.server.sparql.sparql_update import SparqlUpdate, updated, with_dataset

COPY = SparqlUpdate("INSERT { GRAPH <urn:new> { ?s ?p ?o } } WHERE { ?s ?p ?o }", "http://here/", {"e": "urn:"})


@pytest.fixture
def store() -> ox.Store:
    store = ox.Store()
    store.update("INSERT DATA { <urn:d> <urn:p> 0 }")
    store.update("INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 } GRAPH <urn:h> { <urn:b> <urn:p> 2 } }")
    return store


def made(store: ox.Store, update: SparqlUpdate) -> set[str]:
    updated(store, update)
    return {str(quad.subject) for quad in store.quads_for_pattern(None, None, None, ox.NamedNode("urn:new"))}


def test_patterns_are_over_the_graphs_of_the_request(store: ox.Store) -> None:
    assert made(store, COPY) == {"<urn:d>"}
    assert made(store, replace(COPY, using=("urn:g", "urn:h"))) == {"<urn:a>", "<urn:b>", "<urn:d>"}


def test_named_graphs_are_those_of_the_request(store: ox.Store) -> None:
    text = "INSERT { GRAPH <urn:new> { ?s ?p ?o } } WHERE { GRAPH ?g { ?s ?p ?o } }"
    assert made(store, replace(COPY, text=text, using_named=("urn:h",))) == {"<urn:b>"}


def test_each_pattern_gets_them_and_nothing_else_does() -> None:
    """Neither those of subqueries, nor words in texts, comments and names."""
    text = (
        "PREFIX where: <urn:where/> # WHERE it is\n"
        "INSERT { ?s where:where 'WHERE' } WHERE { { SELECT ?s WHERE { ?s ?p ?where } } } ;\n"
        "INSERT DATA { <urn:WHERE> <urn:p> 1 } ; DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }"
    )
    found = with_dataset(replace(COPY, text=text, using=("urn:g",)))
    assert found == text.replace("} WHERE {", "} USING <urn:g> WHERE {")
    assert found.count("USING") == 2


@pytest.mark.parametrize(
    "text",
    [
        "WITH <urn:g> DELETE { ?s ?p 1 } INSERT { ?s ?p 2 } WHERE { ?s ?p 1 }",
        "INSERT { ?s ?p 2 } USING <urn:g> WHERE { ?s ?p 1 }",
        "DELETE WHERE { ?s ?p ?o }",
    ],
)
def test_a_dataset_is_named_once(text: str) -> None:
    with pytest.raises(ProblemError) as refused:
        with_dataset(replace(COPY, text=text, using=("urn:g",)))
    assert refused.value.status == 400
    assert with_dataset(replace(COPY, text=text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("LOAD <http://other/>", "update:1:1: LOAD fetches from anywhere"),
        ("INSERT DATA { <urn:s> <urn:p> 'LOAD' } ; load SILENT <file:///etc/passwd>", "LOAD fetches from anywhere"),
        ("INSERT { ?s ?p 1 } WHERE { SERVICE <http://other/> { ?s ?p ?o } }", "SERVICE asks another endpoint"),
        ("INSERT DATA {", "update:1:14: the update ends too early"),
        ("INSERT DATA { f:s <urn:p> 1 }", "unknown prefix 'f:'"),
        ("SELECT * { ?s ?p ?o }", "this is no SPARQL"),
    ],
)
def test_what_is_refused_changes_nothing(store: ox.Store, text: str, message: str) -> None:
    with pytest.raises(ArchiveError, match=message):
        updated(store, replace(COPY, text=text))
    assert len(store) == 3


def test_words_that_only_look_so_are_no_load(store: ox.Store) -> None:
    updated(store, replace(COPY, text="INSERT DATA { <urn:LOAD> e:LOAD 'LOAD' } # LOAD"))
    assert len(store) == 4
