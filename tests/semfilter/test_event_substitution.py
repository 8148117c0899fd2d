"""The event in the place of its variable."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from kaicep.semfilter.event_substitution import replace_variable


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("?e <p> ?ee . $e <p> ?x", "<E> <p> ?ee . <E> <p> ?x"),
        ("?e <p#?e> \"?e\" , '?e' ; <q> 5 # ?e\n", "<E> <p#?e> \"?e\" , '?e' ; <q> 5 # ?e\n"),
        ('?e <p> """a"?e"\n""" . FILTER (?x<?e)', '<E> <p> """a"?e"\n""" . FILTER (?x<<E>)'),
        ('?e <p> "\\"?e" , \'\'\'?e\'\'\'', '<E> <p> "\\"?e" , \'\'\'?e\'\'\''),
        ('?x <p> "a"@by . ?e <p> _:select . ?e <q> ?x', '?x <p> "a"@by . <E> <p> _:select . <E> <q> ?x'),
        (
            ("{ SELECT ?e (COUNT(?e) AS ?n) WHERE { ?e <p> ?x } "
            "GROUP BY ?e HAVING (?e != ?x) ORDER BY DESC(?e) ?e LIMIT 1 }"),
            ("{ SELECT (<E> AS ?e) (COUNT(<E>) AS ?n) WHERE { <E> <p> ?x } GROUP BY (<E>) HAVING (<E> != ?x) "
            "ORDER BY DESC(<E>) (<E>) LIMIT 1 }"),
        ),
        ("OPTIONAL { ?e <p> ?x } FILTER NOT EXISTS { ?e <q> ?e }",
         "OPTIONAL { <E> <p> ?x } FILTER NOT EXISTS { <E> <q> <E> }"),
    ],
)  # fmt: skip
def test_the_variable_is_replaced_where_it_is_a_variable(body: str, expected: str) -> None:
    """Strings, IRIs and comments stay; lists of variables keep the name."""
    assert replace_variable(body, "e", "<E>") == expected


def test_lists_of_a_select_stay_sparql() -> None:
    body = "{ SELECT ?e (COUNT(?x) AS ?n) { ?e <urn:p> ?x } GROUP BY ?e ORDER BY ?e }"
    store = ox.Store()
    store.load(b"<urn:e> <urn:p> 1 , 2 .", ox.RdfFormat.TURTLE)
    solutions = store.query(f"SELECT ?n {{ {replace_variable(body, 'e', '<urn:e>')} }}")
    assert isinstance(solutions, ox.QuerySolutions)
    assert [solution["n"] for solution in solutions] == [ox.Literal(2)]
