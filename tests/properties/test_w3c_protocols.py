"""The W3C's tests of the SPARQL and the Graph Store Protocol and of Service Description pass over HTTP, all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox
import pytest
from kaicep.config import Settings
from support.servers import ask, serving
from support.w3c_protocols import SUITE, ProtocolTest, faults, protocol_tests, service_tests

PROTOCOL = protocol_tests(SUITE / "protocol" / "manifest.ttl")
GRAPHS = [
    test
    for kind in ("direct", "indirect")
    for test in protocol_tests(SUITE / "graph-store-protocol" / f"manifest-{kind}.ttl")
]
SERVICE = service_tests(SUITE / "service-description" / "manifest.ttl")
DATASET = "/datasets/w3c"
SD = "http://www.w3.org/ns/sparql-service-description#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SCHEMA = {
    "endpoint": ("Service", None),
    "supportedLanguage": ("Service", {"SPARQL10Query", "SPARQL11Query", "SPARQL11Update"}),
    "resultFormat": ("Service", None),
    "feature": (
        "Service",
        {"DereferencesURIs", "UnionDefaultGraph", "RequiresDataset", "EmptyGraphs", "BasicFederatedQuery"},
    ),
    "defaultDataset": ("Service", "Dataset"),
    "defaultGraph": ("Dataset", "Graph"),
}
"""Of each property the class of its subjects, and what its objects are: of a class, some of the language's, or any IRI.

Source: SPARQL 1.1 Service Description, 3.
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("w3c")
    project = {"server": {"datasets": {"w3c": {"update": True}}}}
    with serving(Settings.parse(project, root=folder)) as found:
        yield found


def named(test: ProtocolTest) -> str:
    return test.name


def test_none_is_missing() -> None:
    assert (len(PROTOCOL), len(GRAPHS)) == (34, 14)
    assert all(test.exchanges for test in [*PROTOCOL, *GRAPHS])
    assert sum(len(test.exchanges) for test in GRAPHS) == 40
    assert set(SERVICE) == {"returns-rdf", "has-endpoint-triple", "conforms-to-schema"}


@pytest.mark.parametrize("test", PROTOCOL, ids=named)
def test_the_sparql_protocol(url: str, test: ProtocolTest) -> None:
    update = {"Content_Type": "application/sparql-update"}
    assert ask(f"{url}{DATASET}/sparql", "POST", "DROP ALL", **update).status == 204
    for graph, file in test.graphs:
        ask(f"{url}{DATASET}/graphs?graph={graph}", "PUT", file.read_bytes(), Content_Type="application/n-triples")
    assert faults(test, url, "/sparql/", f"{DATASET}/sparql") == []


@pytest.mark.parametrize("test", GRAPHS, ids=named)
@pytest.mark.parametrize(
    "path", ["/graphs", pytest.param(f"{DATASET}/graphs", marks=pytest.mark.long)], ids=["modules", "dataset"]
)
def test_the_graph_store_protocol(url: str, path: str, test: ProtocolTest) -> None:
    """Over ontology modules, and over a dataset."""
    for row in ask(f"{url}{path}").json:
        name = row.get("module") or row["graph"]
        place = "?default" if name == "default" else f"?graph={name}"
        assert ask(f"{url}{path}{place}", "DELETE").status == 204
    ask(f"{url}{path}?default", "DELETE")
    assert faults(test, url, "/gsp", path) == []


@pytest.mark.parametrize("name", SERVICE)
@pytest.mark.parametrize("path", ["/sparql", f"{DATASET}/sparql"], ids=["archive", "dataset"])
def test_service_description(url: str, path: str, name: str) -> None:
    """The manifest has their names alone: what they ask is said by these, and by the schema of the recommendation."""
    answer = ask(f"{url}{path}", Accept="text/turtle")
    assert (answer.status, answer.media_type) == (200, "text/turtle")
    found = list(ox.parse(answer.body, format=ox.RdfFormat.TURTLE, base_iri="urn:x"))
    if name == "has-endpoint-triple":
        assert [str(quad.object) for quad in found if quad.predicate.value == f"{SD}endpoint"] == [f"<{url}{path}>"]
    elif name == "conforms-to-schema":
        assert [str(quad) for quad in found if not conforms(quad, found)] == []
    else:
        assert found, "it is RDF"


def conforms(quad: ox.Quad, found: list[ox.Quad]) -> bool:
    """Whether a triple of a description is as the schema has it."""
    kinds: dict[object, object] = {one.subject: one.object for one in found if one.predicate.value == RDF_TYPE}
    if quad.predicate.value == RDF_TYPE:
        return quad.object in {ox.NamedNode(f"{SD}{kind}") for kind in ("Service", "Dataset", "Graph")}
    subject, objects = SCHEMA.get(quad.predicate.value.removeprefix(SD), ("nothing", None))
    if kinds.get(quad.subject) != ox.NamedNode(f"{SD}{subject}"):
        return False
    if isinstance(objects, str):
        return kinds.get(quad.object) == ox.NamedNode(f"{SD}{objects}")
    named = isinstance(quad.object, ox.NamedNode)
    return named and (objects is None or str(quad.object)[1:-1].removeprefix(SD) in objects)
