"""The W3C's tests of its HTTP protocols: requests, and what is expected of their answers.

A runner sends them to an address of its own, as the manifests say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyoxigraph as ox

from .servers import Answer, ask

__all__ = ["SUITE", "ProtocolTest", "faults", "isomorphic", "protocol_tests", "service_tests"]

SUITE = Path(__file__).parents[1] / "server" / "w3c"

_MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
_HT, _CNT = "http://www.w3.org/2011/http#", "http://www.w3.org/2011/content#"
_UT = "http://www.w3.org/2009/sparql/tests/test-update#"
_RDF, _LABEL = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#label"
_STATUS = {"OK": (200,), "Created": (201,), "NoContent": (204,), "NotFound": (404,)}
_CLASSES = {f"StatusCode{n}xx": tuple(range(100 * n, 100 * n + 100)) for n in range(1, 6)}
_FORMATS = {
    "boolean": ("application/sparql-results+json", "application/sparql-results+xml"),
    "tabular": ("application/sparql-results+json", "application/sparql-results+xml", "text/csv"),
    "RDF": ("text/turtle", "application/n-triples", "application/rdf+xml"),
}


@dataclass(frozen=True)
class Exchange:
    """A request, and what is expected of its answer.

    Attributes:
        method: of HTTP.
        path: that it is sent to, with its query string.
        headers: names and values.
        body: as bytes.
        statuses: that are taken.
        boolean: that is expected.
        form: `boolean`, `tabular` or `RDF`.
        location: the template variable that the answer's `Location` fills in later requests.
        graph: that is expected, as Turtle.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None
    statuses: frozenset[int]
    boolean: bool | None
    form: str | None
    location: str | None
    graph: str | None


@dataclass(frozen=True)
class ProtocolTest:
    """A test.

    Attributes:
        name: in the manifest.
        exchanges: one after the other.
        graphs: what has to be there first: graph and file.
    """

    name: str
    exchanges: tuple[Exchange, ...]
    graphs: tuple[tuple[str, Path], ...]


class _Manifest:
    def __init__(self, path: Path) -> None:
        self._store = ox.Store()
        self._store.load(path=path, format=ox.RdfFormat.TURTLE, base_iri=path.as_uri(), lenient=True)

    def all(self, subject: Any, name: str) -> list[object]:
        return [quad.object for quad in self._store.quads_for_pattern(subject, ox.NamedNode(name), None)]

    def one(self, subject: object, name: str) -> object | None:
        return next(iter(self.all(subject, name)), None)

    def text(self, subject: object, name: str) -> str | None:
        found = self.one(subject, name)
        return found.value if isinstance(found, ox.Literal | ox.NamedNode) else None

    def entries(self, head: object | None) -> Iterator[object]:
        while head is not None and str(head) != f"<{_RDF}nil>":
            first = self.one(head, f"{_RDF}first")
            assert first is not None
            yield first
            head = self.one(head, f"{_RDF}rest")

    def tests(self) -> list[object]:
        """All that it describes: one of them is in no list of entries."""
        found = {quad.subject for quad in self._store.quads_for_pattern(None, ox.NamedNode(f"{_MF}action"), None)}
        return sorted(found, key=str)


def protocol_tests(path: Path) -> list[ProtocolTest]:
    """The tests of a manifest."""
    manifest = _Manifest(path)
    found = []
    for test in manifest.tests():
        connection = manifest.one(test, f"{_MF}action")
        exchanges = manifest.entries(manifest.one(connection, f"{_HT}requests"))
        graphs = tuple(_graphs(manifest, test))
        name = str(test)[1:-1].rpartition("#")[2]
        found.append(ProtocolTest(name, tuple(_exchange(manifest, one) for one in exchanges), graphs))
    return found


def service_tests(path: Path) -> list[str]:
    """The names of the tests of a manifest, which has no more of them."""
    manifest = _Manifest(path)
    entries = manifest.entries(manifest.one(ox.NamedNode(path.as_uri()), f"{_MF}entries"))
    return [str(test)[1:-1].rpartition("#")[2] for test in entries]


def _graphs(manifest: _Manifest, test: object) -> Iterator[tuple[str, Path]]:
    for node in manifest.all(test, f"{_UT}graphData"):
        label, file = manifest.text(node, _LABEL), manifest.text(node, f"{_UT}graph")
        assert label is not None
        assert file is not None
        yield label, Path(file.removeprefix("file://"))


def _exchange(manifest: _Manifest, request: object) -> Exchange:
    response = manifest.one(request, f"{_HT}resp")
    codes = [str(code)[1:-1].rpartition("#")[2] for code in manifest.all(response, f"{_MF}expectedStatus")]
    boolean = manifest.text(response, f"{_MF}expectedBoolean")
    return Exchange(
        manifest.text(request, f"{_HT}methodName") or "GET",
        manifest.text(request, f"{_HT}absolutePath") or "/",
        dict(_headers(manifest, request)),
        _body(manifest, request),
        frozenset(status for code in codes for status in (_STATUS | _CLASSES)[code]),
        None if boolean is None else boolean == "true",
        manifest.text(response, f"{_MF}expectedFormat"),
        manifest.text(response, f"{_MF}expectedLocation"),
        _text(manifest, response),
    )


def _headers(manifest: _Manifest, node: object) -> Iterator[tuple[str, str]]:
    for header in manifest.entries(manifest.one(node, f"{_HT}headers")):
        name, value = manifest.text(header, f"{_HT}fieldName"), manifest.text(header, f"{_HT}fieldValue")
        assert name is not None
        assert value is not None
        yield name, value


def _body(manifest: _Manifest, request: object) -> bytes | None:
    body = manifest.one(request, f"{_HT}body")
    text = _text(manifest, request)
    return None if text is None else text.encode(manifest.text(body, f"{_CNT}characterEncoding") or "utf-8")


def _text(manifest: _Manifest, node: object) -> str | None:
    body = manifest.one(node, f"{_HT}body")
    return None if body is None else manifest.text(body, f"{_CNT}chars")


def faults(test: ProtocolTest, url: str, written: str, path: str) -> list[str]:
    """What is wrong with the answers of a server; nothing: the test passes.

    Args:
        test: whose requests are sent.
        url: of the server.
        written: where the manifest says that its endpoint is, such as `/sparql/`.
        path: where ours is.
    """
    said: list[str] = []
    variables: dict[str, str] = {}
    own = f"{url.removeprefix('http://')}{path}"
    there = f"www.example{written}"

    def ours(text: str) -> str:
        for before, after in ((there, own), (quote(there, safe=""), quote(own, safe="")), *variables.items()):
            text = text.replace(before, after)
        return text

    for exchange in test.exchanges:
        address = url + path + ours(exchange.path).removeprefix(written)
        body = None if exchange.body is None else exchange.body
        if body is not None and there.encode() in body:
            body = ours(body.decode()).encode()
        answer = ask(address, exchange.method, body, **exchange.headers)
        said += [f"{exchange.method} {exchange.path}: {fault}" for fault in _faults(exchange, answer, ours)]
        if exchange.location is not None:
            variables[exchange.location] = answer.headers.get("location", "")
    return said


def _faults(exchange: Exchange, answer: Answer, ours: object) -> Iterator[str]:
    if answer.status not in exchange.statuses:
        yield f"status {answer.status}: {answer.body[:200]!r}"
        return
    if exchange.boolean is not None and json.loads(answer.body)["boolean"] != exchange.boolean:
        yield f"not {exchange.boolean}"
    if exchange.form is not None and answer.media_type not in _FORMATS[exchange.form]:
        yield f"{answer.media_type} is not {exchange.form}"
    if exchange.graph is not None:
        assert callable(ours)
        wanted = list(ox.parse(ours(exchange.graph), format=ox.RdfFormat.TURTLE, base_iri="urn:x"))
        found = list(ox.parse(answer.body, format=ox.RdfFormat.TURTLE, base_iri="urn:x"))
        if not isomorphic(wanted, found):
            yield f"not the graph that is expected: {answer.text}"


def isomorphic(one: Sequence[ox.Quad], other: Sequence[ox.Quad]) -> bool:
    """Whether graphs are the same but for the names of blank nodes."""
    first, second = ox.Dataset(one), ox.Dataset(other)
    for dataset in (first, second):
        dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    return set(first) == set(second)
