"""Clients that people have ask the archive: rdflib, SPARQLWrapper, and what Grafana sends.

Source: pkg/infinity/headers.go and pkg/infinity/request.go of Grafana's Infinity data source 3.11.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from kaicep.config import Settings
from rdflib import Graph, Literal, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from SPARQLWrapper import CSV, JSON, POST, POSTDIRECTLY, TURTLE, XML, SPARQLExceptions, SPARQLWrapper
from support.archives import archived_project
from support.servers import Answer, ask, serving

COUNT = "PREFIX e: <http://e/> SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"
READINGS = "SELECT ?time ?flow { ?e e:time ?time ; e:flow ?flow } ORDER BY ?time LIMIT 2"
TOKEN = 32 * "t"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An archive of 150 readings, and a dataset that takes updates."""
    folder = tmp_path_factory.mktemp("clients")
    archived_project(folder)
    server = {"datasets": {"notes": {"update": True}}}
    with serving(Settings.parse({"prefixes": {"e": "http://e/"}, "server": server}, root=folder)) as found:
        yield found


def test_rdflib_asks(url: str) -> None:
    graph = Graph(SPARQLStore(f"{url}/sparql"))
    found: Any = graph.query(COUNT)
    assert [str(row.n) for row in found] == ["150"]
    assert graph.query("ASK { ?e a <http://e/AirflowReport> }").askAnswer
    sensors = set(graph.objects(URIRef("urn:kaicep:event:airflowReport/s1/21"), URIRef("http://e/sensor")))
    assert sensors <= {Literal("s1"), URIRef("http://e/s1")}


@pytest.mark.parametrize("method", ["GET", "POST", "POST_FORM"])
def test_rdflib_asks_by_every_method_and_of_one_graph(url: str, method: str) -> None:
    store = SPARQLStore(f"{url}/sparql", method=method)
    described: Any = Graph(store).query("DESCRIBE <urn:kaicep:event:airflowReport/s1/21>").graph
    assert (None, URIRef("http://e/flow"), Literal(10.5)) in described
    knowledge = Graph(SPARQLStore(f"{url}/sparql", method=method), URIRef("urn:kaicep:graph:knowledge"))
    assert set(knowledge.predicates()) == {URIRef("http://e/in")}


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
    client.setQuery("ASK { ?e a <http://e/AirflowReport> }")
    client.setReturnFormat(XML)
    found = client.queryAndConvert()
    assert "<boolean>true</boolean>" in found.toxml()
    client.setQuery("CONSTRUCT { ?e a <urn:Report> } { ?e a <http://e/AirflowReport> }")
    client.setReturnFormat(TURTLE)
    turtle: Any = client.queryAndConvert()
    assert len(Graph().parse(data=turtle, format="turtle")) == 150


@pytest.mark.parametrize("form", [XML, JSON, CSV])
def test_sparqlwrapper_hears_what_is_wrong(url: str, form: str) -> None:
    client = SPARQLWrapper(f"{url}/sparql")
    client.setQuery("SELECT * { ?s f:p ?o }")
    client.setReturnFormat(form)
    with pytest.raises(SPARQLExceptions.QueryBadFormed, match="query:1:15: unknown prefix"):
        client.query()


def test_sparqlwrapper_updates(url: str) -> None:
    client = SPARQLWrapper(f"{url}/datasets/notes/sparql")
    client.setMethod(POST)
    client.setQuery("INSERT DATA { <urn:s2> <urn:note> 'quiet' }")
    client.query()
    client.setQuery("SELECT ?note { <urn:s2> <urn:note> ?note }")
    client.setReturnFormat(CSV)
    assert client.queryAndConvert() == b"note\r\nquiet\r\n"


_TAKEN = {
    "json": "application/json;q=0.9,text/plain",
    "csv": "text/csv; charset=utf-8",
    "xml": "text/xml;q=0.9,text/plain",
}
"""By type of query; of the others, Infinity says nothing."""


def infinity(url: str, kind: str, method: str = "GET", body: str | None = None, **headers: str) -> Answer:
    """What Grafana's Infinity data source sends for a query of that type, with headers of its user's."""
    own = {"User_Agent": "Go-http-client/1.1", "Accept_Encoding": "gzip", "Traceparent": f"00-{32 * 'a'}-{16 * 'b'}-01"}
    taken = {"Accept": _TAKEN[kind]} if kind in _TAKEN else {}
    return ask(url, method, body, **{**own, **taken, **headers})


def test_grafana_s_infinity_data_source_asks_by_a_form(url: str) -> None:
    """Body type `Form URL Encoded`, which has the query under the key `query`."""
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    found = infinity(f"{url}/sparql", "csv", "POST", urlencode({"query": READINGS}), **form)
    assert (found.media_type, found.headers.get("content-encoding")) == ("text/csv", None)
    assert found.text == "time,flow\r\n2012-05-07T09:00:00Z,0\r\n2012-05-07T09:00:01Z,0.5\r\n"


def test_grafana_s_infinity_data_source_says_what_its_body_is_where_its_user_does(url: str) -> None:
    """It knows no SPARQL: a raw body is `text/plain`, unless a header `Content-Type` is written beside it."""
    found = infinity(f"{url}/sparql", "csv", "POST", COUNT, Content_Type="application/sparql-query")
    assert found.text == "n\r\n150\r\n"
    refused = infinity(f"{url}/sparql", "csv", "POST", COUNT, Content_Type="text/plain")
    assert refused.status == 415
    assert "send it as application/sparql-query, " in refused.text


def test_grafana_s_infinity_data_source_asks_for_json_and_xml(url: str) -> None:
    """By GET, with `query` among the URL's parameters; rows of JSON are at the root selector `results.bindings`."""
    address = f"{url}/sparql?{urlencode({'query': COUNT})}"
    found = infinity(address, "json")
    assert found.media_type == "application/json"
    assert found.json["results"]["bindings"][0]["n"]["value"] == "150"
    found = infinity(address, "xml")
    assert found.media_type == "text/xml"
    assert ">150</literal>" in found.text


@pytest.mark.parametrize("kind", ["uql", "groq", "tsv"])
def test_grafana_s_infinity_data_source_takes_anything_unless_its_user_says_what(url: str, kind: str) -> None:
    """UQL and GROQ read JSON only from what calls itself `application/json`."""
    address = f"{url}/sparql?{urlencode({'query': COUNT})}"
    assert infinity(address, kind).media_type == "application/sparql-results+json"
    wanted = "text/tab-separated-values" if kind == "tsv" else "application/json"
    assert infinity(address, kind, Accept=wanted).media_type == wanted


def test_grafana_s_infinity_data_source_checks_its_health(url: str) -> None:
    """By a GET of an address that is written there; an answer without content is no health."""
    for path in ("/health", "/ready", "/sparql"):
        found = infinity(url + path, "uql")
        assert (found.status, len(found.body) > 0) == (200, True), path
    nothing = urlencode({"query": "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o FILTER(false) }"})
    assert infinity(f"{url}/sparql?{nothing}", "uql").body == b"\n"


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
        shown = (f"Bearer {TOKEN}", f"Basic {b64encode(f'grafana:{TOKEN}'.encode()).decode()}")
        address = f"{url}/sparql?{urlencode({'query': COUNT})}"
        assert [infinity(address, "csv", Authorization=one).text for one in shown] == 2 * ["n\r\n150\r\n"]
        refused = ask(f"{url}/graphs?default", "PUT", "", Content_Type="text/turtle", Authorization=f"Bearer {TOKEN}")
        assert (refused.status, refused.json["detail"]) == (403, "this token is for 'read', and 'admin' is needed")
