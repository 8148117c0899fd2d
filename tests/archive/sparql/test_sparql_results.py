"""SPARQL in; solutions, a boolean or Turtle out; what is no query says where and why."""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyoxigraph as ox
import pytest
from kaicep.archive.sparql import Graph, Solutions
from kaicep.archive.sparql.sparql_results import evaluate
from kaicep.errors import ArchiveError
from rich.console import Console

PREFIXES = {"e": "http://e/", "evt": "http://evt/", "unused": "http://unused/"}
XSD = "http://www.w3.org/2001/XMLSchema#"
NINE = datetime(2012, 5, 7, 9, tzinfo=UTC)


@pytest.fixture
def store() -> ox.Store:
    store = ox.Store()
    graphs = """
        <http://e/a> <http://e/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:g1> .
        <http://e/b> <http://e/p> "2.5"^^<http://www.w3.org/2001/XMLSchema#double> <urn:g2> .
        <http://e/b> <http://e/name> "from <urn:g1>" <urn:g2> ."""
    store.load(graphs, format=ox.RdfFormat.N_QUADS)
    return store


def solutions(store: ox.Store, text: str, graphs: list[str] | None = None) -> Solutions:
    found = evaluate(store, text, PREFIXES, graphs)
    assert isinstance(found, Solutions)
    return found


def test_the_default_graph_is_the_union_and_prefixes_are_preset(store: ox.Store) -> None:
    found = solutions(store, "SELECT ?s ?o { ?s e:p ?o } ORDER BY ?s")
    assert found.variables == ("s", "o")
    assert found.rows == [("http://e/a", 1), ("http://e/b", 2.5)]
    assert list(found) == [{"s": "http://e/a", "o": 1}, {"s": "http://e/b", "o": 2.5}]
    assert len(found) == 2
    assert solutions(store, "SELECT ?s ?o { ?s e:p ?o }", graphs=["urn:g2"]).rows == [("http://e/b", 2.5)]


def test_a_query_may_name_its_own_dataset(store: ox.Store) -> None:
    assert solutions(store, "SELECT ?s FROM <urn:g2> { ?s e:p ?o }").rows == [("http://e/b",)]
    assert solutions(store, "SELECT ?s from named <urn:g1> { GRAPH ?g { ?s e:p ?o } }").rows == [("http://e/a",)]
    assert len(solutions(store, "SELECT ?from { ?s e:p ?from # FROM <urn:g2>\n}")) == 2
    assert len(solutions(store, "SELECT ?s { ?s e:name 'from <urn:g1>' }")) == 1


def test_a_query_may_declare_prefixes_of_its_own(store: ox.Store) -> None:
    assert solutions(store, "PREFIX e: <http://nobody/> PREFIX x: <http://e/> SELECT ?s { ?s x:p 1 }").rows == [
        ("http://e/a",)
    ]


def test_ask_is_a_boolean(store: ox.Store) -> None:
    assert evaluate(store, "ASK { ?s e:p 1 }", PREFIXES) is True
    assert evaluate(store, "ASK { ?s e:p 7 }", PREFIXES) is False


def test_construct_and_describe_are_turtle_with_the_prefixes_that_they_use(store: ox.Store) -> None:
    found = evaluate(store, "CONSTRUCT { ?s evt:was ?o } { ?s e:p ?o . FILTER (?o = 1) }", PREFIXES)
    assert found == Graph("@prefix e: <http://e/> .\n@prefix evt: <http://evt/> .\ne:a evt:was 1 .\n", triples=1)
    assert str(found) == found.turtle
    described = evaluate(store, "DESCRIBE e:a", PREFIXES)
    assert isinstance(described, Graph)
    assert described.triples == 1


@pytest.mark.parametrize(
    ("values", "kind", "column"),
    [
        ("1 2", pa.int64(), [1, 2]),
        ("1 2.5e0 UNDEF", pa.float64(), [1.0, 2.5, None]),
        ("true UNDEF", pa.bool_(), [True, None]),
        (f'"2012-05-07T09:00:00Z"^^<{XSD}dateTime>', pa.timestamp("us", tz="UTC"), [NINE]),
        ("<http://e/a> 'b' UNDEF", pa.string(), ["http://e/a", "b", None]),
        ("1 'x'", pa.string(), ["1", "x"]),
        ("1 true", pa.string(), ["1", "true"]),
        ("99999999999999999999", pa.string(), ["99999999999999999999"]),
        ("UNDEF", pa.string(), [None]),
    ],
)
def test_columns_have_the_type_of_their_values(
    store: ox.Store, values: str, kind: pa.DataType, column: list[object]
) -> None:
    table = solutions(store, f"SELECT ?x {{ VALUES ?x {{ {values} }} }}").to_arrow()
    assert table.schema.field("x").type == kind
    assert table["x"].to_pylist() == column


def test_no_solutions_are_a_table_of_no_rows(store: ox.Store) -> None:
    table = solutions(store, "SELECT ?s ?o { ?s e:nothing ?o }").to_arrow()
    assert table.column_names == ["s", "o"]
    assert table.num_rows == 0


def test_solutions_as_a_table_for_terminals_and_as_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Solutions(("a", "b"), ((ox.Literal(1), None), (ox.Literal(2), ox.Literal("[x]"))))
    console = Console(width=40, record=True, file=io.StringIO())
    console.print(found)
    assert "│ 2 │ [x] │" in console.export_text()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ArchiveError) as error:
        found.to_pandas()
    assert str(error.value) == "pandas is not installed: pip install pandas, or use to_arrow()"


def test_rdf_goes_to_a_file_in_the_format_of_its_ending(tmp_path: Path) -> None:
    graph = Graph("<http://e/a> <http://e/b> <http://e/c> .\n", 1)
    graph.write(tmp_path / "a.nt")
    assert (tmp_path / "a.nt").read_text() == "<http://e/a> <http://e/b> <http://e/c> .\n"
    with pytest.raises(ArchiveError) as error:
        graph.write(tmp_path / "a.doc")
    assert str(error.value) == f"{tmp_path / 'a.doc'}: '.doc' names no RDF format: use .ttl, .nt, .rdf or .jsonld"


def test_what_an_ending_cannot_say_is_told_and_leaves_no_file(tmp_path: Path) -> None:
    Graph('<urn:a> <urn:p> "1\\r2" .\n', 1).write(tmp_path / "a.rdf")
    assert b"1&#xD;2" in (tmp_path / "a.rdf").read_bytes()
    with pytest.raises(ArchiveError, match="JSON-LD does not support"):
        Graph("<urn:a> <urn:p> <<( <urn:a> <urn:p> 1 )>> .\n", 1).write(tmp_path / "a.jsonld")
    assert not (tmp_path / "a.jsonld").exists()
