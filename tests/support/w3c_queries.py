"""The W3C's tests of queries and of the forms of results: asked over HTTP, and of Oxigraph in this process."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from .servers import ask
from .w3c_protocols import SUITE, isomorphic

__all__ = ["FOLDERS", "QueryTest", "passes_here", "passes_over_http", "query_tests"]

FOLDERS = (
    "aggregates", "bind", "bindings", "cast", "construct", "csv-tsv-res", "exists", "functions", "grouping", "json-res",
    "negation", "project-expression", "property-path", "subquery", "syntax-query",
)  # fmt: skip
_MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
_QT = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
_RS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
_BASE = "http://www.w3.org/2009/sparql/docs/tests/data-sparql11/"
_FORMS = {
    ".srx": ox.QueryResultsFormat.XML,
    ".srj": ox.QueryResultsFormat.JSON,
    ".tsv": ox.QueryResultsFormat.TSV,
    ".csv": ox.QueryResultsFormat.CSV,
}
_RDF = {".ttl": ox.RdfFormat.TURTLE, ".nt": ox.RdfFormat.N_TRIPLES, ".rdf": ox.RdfFormat.RDF_XML}
_FROM = re.compile(r"\bFROM\b")


@dataclass(frozen=True)
class QueryTest:
    """A test.

    Attributes:
        name: folder and name in the manifest.
        kind: `QueryEvaluationTest`, `CSVResultFormatTest`, `PositiveSyntaxTest11` or `NegativeSyntaxTest11`.
        query: file.
        data: files of the default graph.
        graphs: files of named graphs.
        result: file; `None`: none is expected.
    """

    name: str
    kind: str
    query: Path
    data: tuple[Path, ...]
    graphs: tuple[Path, ...]
    result: Path | None

    @property
    def text(self) -> str:
        """Of the query."""
        return self.query.read_text(encoding="utf-8")

    @property
    def base(self) -> str:
        """IRI of the folder, that names in it are relative to."""
        return f"{_BASE}{self.query.parent.name}/"

    def dataset(self) -> Iterator[tuple[str | None, list[ox.Triple]]]:
        """The graphs; a query that has FROM finds those of the default graph by their names as well."""
        named = [*self.graphs, *(self.data if _FROM.search(self.text) else ())]
        if self.data:
            yield None, [triple for path in self.data for triple in self._triples(path)]
        for path in named:
            yield self.base + path.name, list(self._triples(path))

    def _triples(self, path: Path) -> Iterator[ox.Triple]:
        form = _RDF[path.suffix]
        return (quad.triple for quad in ox.parse(path=path, format=form, base_iri=self.base + path.name))


def query_tests(folder: str) -> list[QueryTest]:
    """The tests of a folder, in the order of its manifest."""
    path = SUITE / folder / "manifest.ttl"
    store = ox.Store()
    store.load(path=path, format=ox.RdfFormat.TURTLE, base_iri=path.as_uri(), lenient=True)
    kinds = ("QueryEvaluationTest", "CSVResultFormatTest", "PositiveSyntaxTest11", "NegativeSyntaxTest11")
    found = []
    for kind in kinds:
        for quad in store.quads_for_pattern(None, None, ox.NamedNode(_MF + kind)):
            found.append(_test(store, folder, kind, quad.subject))  # noqa: PERF401 - it reads better
    return sorted(found, key=lambda test: test.name)


def _test(store: ox.Store, folder: str, kind: str, node: Any) -> QueryTest:
    def files(subject: Any, name: str) -> tuple[Path, ...]:
        quads = store.quads_for_pattern(subject, ox.NamedNode(name), None)
        named = (quad.object for quad in quads if isinstance(quad.object, ox.NamedNode))
        return tuple(Path(file.value.removeprefix("file://")) for file in named)

    action = next(store.quads_for_pattern(node, ox.NamedNode(f"{_MF}action"), None)).object
    plain = isinstance(action, ox.NamedNode)
    query = files(node, f"{_MF}action")[0] if plain else files(action, f"{_QT}query")[0]
    name = f"{folder}/{str(node)[1:-1].rpartition('#')[2]}"
    data, graphs = files(action, f"{_QT}data"), files(action, f"{_QT}graphData")
    return QueryTest(name, kind, query, data, graphs, next(iter(files(node, f"{_MF}result")), None))


def passes_here(test: QueryTest) -> bool:
    """Whether Oxigraph passes it in this process."""
    store = ox.Store()
    for graph, triples in test.dataset():
        name = ox.DefaultGraph() if graph is None else ox.NamedNode(graph)
        if isinstance(name, ox.NamedNode):
            store.add_graph(name)
        store.extend(ox.Quad(t.subject, t.predicate, t.object, name) for t in triples)
    try:
        found: Any = store.query(test.text, base_iri=test.base)
        content = found.serialize(format=_wanted(test)) if _answers(test) else b""
    except (SyntaxError, ValueError, RuntimeError, OSError):
        return test.kind == "NegativeSyntaxTest11"
    return _fits(test, content or b"")


def passes_over_http(test: QueryTest, dataset: str) -> bool:
    """Whether a server passes it.

    Args:
        test: that is asked.
        dataset: address of a dataset that may be changed.
    """
    if _answers(test):
        ask(f"{dataset}/sparql", "POST", "DROP ALL", Content_Type="application/sparql-update")
        for graph, triples in test.dataset():
            place = "?default" if graph is None else f"?graph={graph}"
            text = ox.serialize(triples, format=ox.RdfFormat.N_TRIPLES)
            assert ask(f"{dataset}/graphs{place}", "PUT", text, Content_Type="application/n-triples").status < 300
    query = f"BASE <{test.base}> {test.text}" if _answers(test) else test.text
    accept = _wanted(test).media_type if _answers(test) else "*/*"
    found = ask(f"{dataset}/sparql", "POST", query.encode(), Content_Type="application/sparql-query", Accept=accept)
    if found.status != 200:
        assert found.media_type == ("application/problem+json" if accept == "*/*" else "text/plain")
        return test.kind == "NegativeSyntaxTest11" and found.status == 400
    assert not _answers(test) or found.media_type == accept.partition(";")[0]
    return _fits(test, found.body)


def _answers(test: QueryTest) -> bool:
    return test.kind in ("QueryEvaluationTest", "CSVResultFormatTest")


def _wanted(test: QueryTest) -> ox.QueryResultsFormat | ox.RdfFormat:
    """The form that the result is expected in; of solutions that are written in RDF, JSON."""
    assert test.result is not None
    form = _FORMS.get(test.result.suffix)
    if form is not None:
        return form
    return ox.RdfFormat.N_TRIPLES if "CONSTRUCT" in test.text.upper() else ox.QueryResultsFormat.JSON


def _fits(test: QueryTest, content: bytes) -> bool:
    """Whether an answer is the one that is expected."""
    if not _answers(test):
        return test.kind == "PositiveSyntaxTest11"
    assert test.result is not None
    form = _wanted(test)
    expected = test.result.read_bytes()
    if form == ox.QueryResultsFormat.CSV:
        return _lines(expected) == _lines(content)
    if isinstance(form, ox.RdfFormat):
        wanted = list(ox.parse(expected, format=_RDF[test.result.suffix], base_iri=test.base + test.result.name))
        return isomorphic(wanted, list(ox.parse(content, format=form)))
    wanted_form = _FORMS.get(test.result.suffix)
    if wanted_form is None:
        return _same(_rows_in_rdf(expected, _RDF[test.result.suffix]), _rows(content, form))
    return _same(_rows(expected, wanted_form), _rows(content, form))


Row = frozenset[tuple[str, Any]]


def _rows(content: bytes, form: ox.QueryResultsFormat) -> list[Row] | bool:
    found: Any = ox.parse_query_results(content, format=form)
    if isinstance(found, ox.QueryBoolean):
        return bool(found)
    names = [variable.value for variable in found.variables]
    return [
        frozenset((name, _plain(value)) for name, value in zip(names, solution, strict=True) if value is not None)
        for solution in found
    ]


def _rows_in_rdf(content: bytes, form: ox.RdfFormat) -> list[Row] | bool:
    store = ox.Store()
    store.load(content, format=form, base_iri="urn:x")
    rows = []
    for quad in store.quads_for_pattern(None, ox.NamedNode(f"{_RS}solution"), None):
        solution: Any = quad.object
        bindings = [q.object for q in store.quads_for_pattern(solution, ox.NamedNode(f"{_RS}binding"), None)]
        rows.append(frozenset((_only(store, b, "variable").value, _plain(_only(store, b, "value"))) for b in bindings))
    return rows


def _only(store: ox.Store, node: Any, name: str) -> Any:
    return next(store.quads_for_pattern(node, ox.NamedNode(_RS + name), None)).object


def _plain(term: object) -> object:
    """A term; a number or a boolean that is written otherwise is the same."""
    if not isinstance(term, ox.Literal):
        return term
    kind = term.datatype.value.rpartition("#")[2]
    try:
        if kind in ("integer", "decimal"):
            return ox.Literal(str(Decimal(term.value).normalize()), datatype=term.datatype)
        if kind in ("double", "float"):
            return ox.Literal(repr(float(term.value)), datatype=term.datatype)
    except ArithmeticError:
        return term
    if kind == "boolean":
        return ox.Literal({"0": "false", "1": "true"}.get(term.value, term.value), datatype=term.datatype)
    return term


def _same(one: list[Row] | bool, other: list[Row] | bool) -> bool:
    """Whether solutions are the same, in any order, but for the names of blank nodes."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if Counter(one) == Counter(other):
        return True
    return len(one) == len(other) and isomorphic(_as_graph(one), _as_graph(other))


def _as_graph(rows: Sequence[Row]) -> list[ox.Quad]:
    nodes = [ox.BlankNode(f"row{i}") for i in range(len(rows))]
    return [
        ox.Quad(node, ox.NamedNode(f"urn:{name}"), value)
        for node, row in zip(nodes, rows, strict=True)
        for name, value in row
    ]


def _lines(content: bytes) -> Counter[frozenset[tuple[str, object]]]:
    """The rows of CSV by the names of their columns; numbers by value, and blank nodes without their names."""
    rows = csv.DictReader(io.StringIO(content.decode(), newline=""))
    return Counter(frozenset((name, _cell(text)) for name, text in row.items()) for row in rows)


def _cell(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return "_:" if text.startswith("_:") else text
