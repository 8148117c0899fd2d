"""A PATH over two events holds exactly when its parts hold and their common variables agree."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kaicep.errors import QueryTypeError
from kaicep.expressions import SIGNATURES
from kaicep.language.checks import compile_document
from kaicep.language.nodes import Binary, Binding, Query, Subquery, Vocabulary
from rdflib import Graph, URIRef
from rdflib.query import ResultRow
from support.vocabulary import AIRFLOW

BASE = "http://x.org/"
VOCABULARY = Vocabulary({"airflowReport": AIRFLOW}, SIGNATURES, {"x": BASE}, None, ("airflowReport",))
VARIABLES = ["?a", "?b", "?s", "?t", "?u", "?v", "x:k"]
NODES = ["a", "b", "k", "m", "n"]

PATHS = st.sampled_from(["x:p", "x:q", "x:p/x:q"])
ANY = st.sampled_from(VARIABLES)
triple = st.tuples(ANY, PATHS, ANY)


def triple_of(variable: str) -> st.SearchStrategy[tuple[str, str, str]]:
    return st.tuples(st.just(variable), PATHS, ANY) | st.tuples(ANY, PATHS, st.just(variable))


# Both events occur: a PATH of one alone is not split.
patterns = st.tuples(triple_of("?a"), triple_of("?b"), st.lists(triple, max_size=3)).flatmap(
    lambda parts: st.permutations([parts[0], parts[1], *parts[2]])
)
filters = st.lists(st.tuples(st.sampled_from(VARIABLES[2:6]), st.sampled_from(VARIABLES[2:])), max_size=2)
graphs = st.lists(
    st.tuples(st.sampled_from(NODES), st.sampled_from(["p", "q"]), st.sampled_from(NODES)), min_size=3, max_size=12
)


def holds(graph: Graph, body: str) -> bool:
    found = graph.query(f"ASK {{ {body} }}", initNs={"x": BASE}, initBindings={"a": node("a"), "b": node("b")})
    return bool(found.askAnswer)


def node(name: str) -> URIRef:
    return URIRef(BASE + name)


def parts_hold(graph: Graph, query: Query) -> bool:
    """Nested loops over the solutions of the parts."""
    tables: list[list[dict[str, Any]]] = []
    for source in query.sources:
        assert isinstance(source.semantics, Subquery | None)
        names = [name for name, _ in source.bindings]
        if source.semantics is None:
            tables.append([{}])
            continue
        selected = " ".join(f"?{name}" for name in names) or "(1 AS ?one)"
        text = f"SELECT DISTINCT {selected} {{ {source.semantics.text} }}"
        rows = graph.query(text, initBindings={source.variable: node(source.variable)})
        tables.append([row.asdict() for row in rows if isinstance(row, ResultRow)])
    return any(agree(query, {k: v for row in rows for k, v in row.items()}) for rows in product(*tables))


def agree(query: Query, values: dict[str, object]) -> bool:
    for join in query.joins:
        assert isinstance(join, Binary)
        assert isinstance(join.left, Binding)
        assert isinstance(join.right, Binding)
        if values[join.left.name] != values[join.right.name]:
            return False
    return True


@pytest.mark.slow
@given(patterns, filters, graphs)
def test_splitting_keeps_the_answer(
    triples: list[tuple[str, str, str]], tests: list[tuple[str, str]], facts: list[tuple[str, str, str]]
) -> None:
    used = {term for triple in triples for term in triple}
    body = " . ".join(" ".join(triple) for triple in triples)
    body += "".join(f" FILTER ({left} != {right})" for left, right in tests if {left, right} <= used | {"x:k"})
    text = f"SELECT ?a, ?b FROM (?a, airflowReport), (?b, airflowReport) PATH {{{body}}} WINDOW (?a, ?b, 5min)"
    query = compiled(text)
    assume(query is not None)
    assert query is not None
    graph = Graph()
    for subject, predicate, object_ in facts:
        graph.add((node(subject), node(predicate), node(object_)))
    assert parts_hold(graph, query) == holds(graph, body)


def compiled(text: str) -> Query | None:
    try:
        [query] = compile_document(text, VOCABULARY)
    except QueryTypeError:
        return None
    return query
