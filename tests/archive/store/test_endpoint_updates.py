"""Updates that are written from terms: no text ends the quad that it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.archive.sparql import Solutions, SparqlRequest
from kaicep.archive.store.endpoint import Endpoint, update_url
from kaicep.archive.store.endpoint_store import EndpointStore
from kaicep.archive.store.graphs import graph_of
from support.archives import NINE, SECOND, STREAM
from support.endpoints import clear, free_port, oxigraph

MINUTE = timedelta(minutes=1)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with oxigraph(free_port()) as url:
        yield url


@pytest.fixture
def endpoint(server: str) -> str:
    clear(server)
    return server


@pytest.mark.parametrize(
    "text", ['"', "\\", "a\\u0022b", "\\\\u000A", "\n\r\t", "x\u2028\x85y", "} } ; DROP ALL", "<a> 😀 é", '\' """ \'']
)
def test_every_text_comes_back_as_it_went(endpoint: str, text: str) -> None:
    store = EndpointStore(Endpoint(endpoint, update_url(endpoint)), MINUTE, "me", Path())
    graph = ox.NamedNode(graph_of(STREAM, NINE))
    quad = ox.Quad(ox.NamedNode("http://e/x"), ox.NamedNode("http://e/p"), ox.Literal(text), graph)
    store.add(ox.serialize([quad], format=ox.RdfFormat.N_QUADS) or b"")
    found = store.answer(SparqlRequest("SELECT ?o { <http://e/x> <http://e/p> ?o }", start=NINE, end=NINE + SECOND), {})
    assert isinstance(found, Solutions)
    assert found.rows == [(text,)]
    assert store.buckets() == [graph.value]
