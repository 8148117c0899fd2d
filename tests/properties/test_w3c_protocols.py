"""The W3C's tests of the SPARQL Protocol and of the Graph Store Protocol pass over HTTP, all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kaicep.config import Settings
from support.servers import ask, serving
from support.w3c_protocols import SUITE, ProtocolTest, faults, protocol_tests

PROTOCOL = protocol_tests(SUITE / "protocol" / "manifest.ttl")
GRAPHS = [
    test
    for kind in ("direct", "indirect")
    for test in protocol_tests(SUITE / "graph-store-protocol" / f"manifest-{kind}.ttl")
]
DATASET = "/datasets/w3c"


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
