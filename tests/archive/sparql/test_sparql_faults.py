"""What is no query says where and why."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from kaicep.archive.sparql.sparql_results import evaluate
from kaicep.errors import ArchiveError

PREFIXES = {"e": "http://e/", "evt": "http://evt/", "unused": "http://unused/"}


@pytest.fixture
def store() -> ox.Store:
    store = ox.Store()
    graphs = """
        <http://e/a> <http://e/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:g1> .
        <http://e/b> <http://e/p> "2.5"^^<http://www.w3.org/2001/XMLSchema#double> <urn:g2> .
        <http://e/b> <http://e/name> "from <urn:g1>" <urn:g2> ."""
    store.load(graphs, format=ox.RdfFormat.N_QUADS)
    return store


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "SELECT ?x WHERE { ?x a foo:Bar }",
            (
                "query:1:24: unknown prefix 'foo:'\n"
                "  1 | SELECT ?x WHERE { ?x a foo:Bar }\n"
                '    |                        ^^^^ declare it, or add foo = "…" to [prefixes]'
            ),
        ),
        (
            "SELECT ?x\nWHERE { ?x ev:y 'no:prefix' }",
            (
                "query:2:12: unknown prefix 'ev:'\n"
                "  2 | WHERE { ?x ev:y 'no:prefix' }\n"
                "    |            ^^^ did you mean 'evt'?"
            ),
        ),
        (
            "SELECT ?x\nWHERE { ?x a }",
            (
                "query:2:15: the query ends too early\n"
                "  2 | WHERE { ?x a }\n"
                "    |               ^ expected here: FILTER or SELECT or VALUES"
            ),
        ),
        (
            "SELECT ?x { ?x <no iri> ?y }",
            (
                "query:1:24: this is no SPARQL\n"
                "  1 | SELECT ?x { ?x <no iri> ?y }\n"
                "    |                        ^ the reader got no further than this"
            ),
        ),
        (
            "PREFIX a: <http://a/>\n# all of it\ndrop all",
            (
                "query:3:1: this is an update, and no query\n"
                "  3 | drop all\n"
                "    | ^^^^ write SELECT, ASK, CONSTRUCT or DESCRIBE"
            ),
        ),
        (
            "SELEC ?x { ?x a ?y }",
            (
                "query:1:1: this is no SPARQL query\n"
                "  1 | SELEC ?x { ?x a ?y }\n"
                "    | ^^^^^ write SELECT, ASK, CONSTRUCT or DESCRIBE"
            ),
        ),
        (
            "",
            "query:1:1: this is no SPARQL query\n  1 | \n    | ^ write SELECT, ASK, CONSTRUCT or DESCRIBE",
        ),
        (
            "SELECT ?y (AVG(?x) AS ?a) { ?y e:p ?x }",
            (
                "query:1:1: SELECT names a variable that is neither grouped nor aggregated\n"
                "  1 | SELECT ?y (AVG(?x) AS ?a) { ?y e:p ?x }\n"
                "    | ^^^^^^ add it to GROUP BY"
            ),
        ),
        (
            "SELECT (1 AS ?x) (2 AS ?x) {}",
            (
                "query:1:1: SELECT names a variable twice\n"
                "  1 | SELECT (1 AS ?x) (2 AS ?x) {}\n"
                "    | ^^^^^^ rename one of the two"
            ),
        ),
        (
            "SELECT (<urn:f>(1) AS ?x) { ?s e:p 1 }",
            (
                "query: the query cannot be answered: The custom function <urn:f> is not supported: "
                "look at the part that the message names"
            ),
        ),
    ],
)
def test_what_is_no_query_says_where_and_why(store: ox.Store, text: str, message: str) -> None:
    with pytest.raises(ArchiveError) as error:
        evaluate(store, text, PREFIXES)
    assert str(error.value) == message
