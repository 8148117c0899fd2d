"""Clients that people have ask the archive: rdflib, SPARQLWrapper, and what YASGUI and Grafana send."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from kaicep.config import Settings
from rdflib import Graph, Literal, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from SPARQLWrapper import CSV, JSON, POST, POSTDIRECTLY, TURTLE, SPARQLExceptions, SPARQLWrapper
from support.archives import archived_project
from support.servers import ask, serving

COUNT = "PREFIX e: <http://e/> SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"
PAGE = "https://yasgui.example"
TOKEN = 32 * "t"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An archive of 150 readings, a dataset that takes updates, and a page that may ask."""
    folder = tmp_path_factory.mktemp("clients")
    archived_project(folder)
    server = {"cors": [PAGE], "datasets": {"notes": {"update": True}}}
    with serving(Settings.parse({"prefixes": {"e": "http://e/"}, "server": server}, root=folder)) as found:
        yield found


def test_rdflib_asks(url: str) -> None:
    graph = Graph(SPARQLStore(f"{url}/sparql"))
    found: Any = graph.query(COUNT)
    assert [str(row.n) for row in found] == ["150"]
    assert graph.query("ASK { ?e a <http://e/AirflowReport> }").askAnswer
    sensors = set(graph.objects(URIRef("urn:kaicep:event:airflowReport/s1/21"), URIRef("http://e/sensor")))
    assert sensors <= {Literal("s1"), URIRef("http://e/s1")}


def test_rdflib_updates_and_uploads(url: str) -> None:
    store = SPARQLUpdateStore(f"{url}/datasets/notes/sparql", f"{url}/datasets/notes/sparql")
    graph = Graph(store, identifier=URIRef("urn:notes"))
    graph.add((URIRef("urn:s1"), URIRef("urn:note"), Literal("noisy")))
    assert [str(note) for note in graph.objects(URIRef("urn:s1"))] == ["noisy"]


def test_sparqlwrapper_asks_in_every_way(url: str) -> None:
    client = SPARQLWrapper(f"{url}/sparql")
    client.setQuery(COUNT)
    client.setReturnFormat(JSON)
    found: Any = client.queryAndConvert()
    assert found["results"]["bindings"][0]["n"]["value"] == "150"
    client.setMethod(POST)
    client.setRequestMethod(POSTDIRECTLY)
    client.setReturnFormat(CSV)
    assert client.queryAndConvert() == b"n\r\n150\r\n"
    client.setQuery("CONSTRUCT { ?e a <urn:Report> } { ?e a <http://e/AirflowReport> }")
    client.setReturnFormat(TURTLE)
    turtle: Any = client.queryAndConvert()
    assert len(Graph().parse(data=turtle, format="turtle")) == 150


def test_sparqlwrapper_hears_what_is_wrong(url: str) -> None:
    client = SPARQLWrapper(f"{url}/sparql")
    client.setQuery("SELECT * { ?s f:p ?o }")
    with pytest.raises(SPARQLExceptions.QueryBadFormed, match="unknown prefix"):
        client.query()


def test_yasgui_asks_from_its_page(url: str) -> None:
    """Yasqe 4.2: a preflight where the page is another origin's, then a form, with all forms of results in `Accept`."""
    preflight = ask(
        f"{url}/sparql",
        "OPTIONS",
        Origin=PAGE,
        Access_Control_Request_Method="POST",
        Access_Control_Request_Headers="content-type",
    )
    assert (preflight.status, preflight.headers["access-control-allow-origin"]) == (200, PAGE)
    assert "POST" in preflight.headers["access-control-allow-methods"]
    found = ask(
        f"{url}/sparql",
        "POST",
        urlencode({"query": COUNT}),
        Content_Type="application/x-www-form-urlencoded; charset=UTF-8",
        Accept="application/sparql-results+json,*/*;q=0.9",
        Origin=PAGE,
    )
    assert found.headers["access-control-allow-origin"] == PAGE
    assert found.json["results"]["bindings"] == [
        {"n": {"type": "literal", "value": "150", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}}
    ]


def test_grafana_s_infinity_data_source_asks(url: str) -> None:
    """Type CSV, POST, a raw body of type `application/sparql-query`; a header `Accept` of one's own."""
    found = ask(
        f"{url}/sparql",
        "POST",
        "SELECT ?time ?flow { ?e e:time ?time ; e:flow ?flow } ORDER BY ?time LIMIT 2",
        Content_Type="application/sparql-query",
        Accept="text/csv",
        User_Agent="Grafana/12.1.0",
        Accept_Encoding="gzip",
    )
    assert found.text == "time,flow\r\n2012-05-07T09:00:00Z,0\r\n2012-05-07T09:00:01Z,0.5\r\n"


def test_grafana_s_infinity_data_source_asks_for_json(url: str) -> None:
    """Type JSON, GET, with the root selector `results.bindings`; a health check of the address itself before."""
    assert ask(f"{url}/sparql", Accept="application/json, text/plain, */*").status == 200
    query = urlencode({"query": COUNT})
    found = ask(f"{url}/sparql?{query}", Accept="application/json;q=0.9,text/plain", User_Agent="Grafana/12.1.0")
    assert found.media_type == "application/json"
    assert json.loads(found.body)["results"]["bindings"][0]["n"]["value"] == "150"


def test_clients_show_tokens(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAICEP_TEST_TOKEN", TOKEN)
    folder = tmp_path_factory.mktemp("guarded")
    archived_project(folder)
    tokens = {"page": {"token": "env:KAICEP_TEST_TOKEN"}}
    with serving(Settings.parse({"server": {"tokens": tokens, "workers": 1}}, root=folder)) as url:
        client = SPARQLWrapper(f"{url}/sparql")
        client.setQuery(COUNT)
        client.setReturnFormat(JSON)
        with pytest.raises(SPARQLExceptions.Unauthorized):
            client.query()
        client.setCredentials("anybody", TOKEN)
        found: Any = client.queryAndConvert()
        assert found["results"]["bindings"][0]["n"]["value"] == "150"
        store = SPARQLStore(f"{url}/sparql", headers={"Authorization": f"Bearer {TOKEN}"})
        assert len(list(Graph(store).query(COUNT))) == 1
        refused = ask(f"{url}/graphs?default", "PUT", "", Content_Type="text/turtle", Authorization=f"Bearer {TOKEN}")
        assert (refused.status, refused.json["detail"]) == (403, "this token is for 'read', and 'admin' is needed")
