"""The tokens of PATH bodies: one way to write them, and what they are divided into."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.errors import QuerySyntaxError, QueryTypeError
from kaicep.expressions import SIGNATURES
from kaicep.language import Names, SourceText, Span
from kaicep.language.nodes import Vocabulary
from kaicep.language.paths import SparqlToken, group_elements, render, tokenize, variables
from kaicep.language.paths.sparql_tokens import token_at
from pyoxigraph import Store

PREFIXES = {"ex": "urn:ex:", "xsd": "http://www.w3.org/2001/XMLSchema#"}


def tokens(body: str) -> tuple[SparqlToken, ...]:
    return tokenize(Names(SourceText("query", body), PREFIXES, Vocabulary({}, SIGNATURES)), Span(0, len(body)))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("$e  a\tex:A .", "?e <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:ex:A>"),
        ("?e ex:p 'it''s' # no\n", '?e <urn:ex:p> "it" "s"'),
        ("?e ex:p '''a\"b'''", '?e <urn:ex:p> "a\\"b"'),
        ('?e ex:p "\\u0041"@en', '?e <urn:ex:p> "A"@en'),
        ('?e ex:p "5"^^xsd:int', '?e <urn:ex:p> "5"^^<http://www.w3.org/2001/XMLSchema#int>'),
        ("?e ex:p*/^ex:q ?x", "?e <urn:ex:p>* / ^<urn:ex:q> ?x"),
        ("filter not exists {?e ex:p TRUE}", "FILTER NOT EXISTS { ?e <urn:ex:p> true }"),
        ("?e ex:p -5", "?e <urn:ex:p> -5"),
    ],
)
def test_tokens_are_written_in_one_way(body: str, text: str) -> None:
    assert render(tokens(body)) == text


def test_variables_are_renamed_and_listed_in_order() -> None:
    found = tokens("?b ex:p ?a . ?a ex:q ?b")
    assert variables(found) == ("b", "a")
    assert render(found, {"a": "c"}) == "?b <urn:ex:p> ?c . ?c <urn:ex:q> ?b"


@given(st.integers(0, 60))
def test_a_place_in_the_rendered_text_has_its_token(offset: int) -> None:
    found = tokens("?e ex:p ?x . ?x ex:q 'a b'")
    text = render(found)
    token = token_at(found, min(offset, len(text) - 1))
    assert text[min(offset, len(text) - 1)] in f" {token.text}"
    assert token_at(found, len(text) + 5) is found[-1]


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("?e ex:p ?x ; ex:q ?y . ?x ex:r ?z", ["triples", "triples"]),
        ("?e ex:p ?x FILTER (?x > 5) ?x ex:q ?y", ["triples", "FILTER", "triples"]),
        ("FILTER REGEX(STR(?x), 'a') FILTER NOT EXISTS {?x ex:p ?y}", ["FILTER", "FILTER"]),
        ("?e ex:p ?x OPTIONAL {?x ex:q ?y . ?y ex:r ?z} . BIND (1 AS ?b)", ["triples", "OPTIONAL", "BIND"]),
        ("{?e ex:p ?x} UNION {?e ex:q ?x} ?x ex:r ?y", ["{", "triples"]),
        ("?e ex:p (1 2) , [ ex:q ?x ; ex:r ?y ] . ?y ex:s ?z", ["triples", "triples"]),
        ("SELECT ?e {?e ex:p ?x}", ["SELECT"]),
    ],
)
def test_groups_are_divided_at_their_top_level(body: str, kinds: list[str]) -> None:
    assert [element.kind for element in group_elements(tokens(body))] == kinds


def test_what_is_no_token_is_refused_at_its_place() -> None:
    with pytest.raises(QuerySyntaxError, match="escapes belong in strings"):
        tokens("?e \\ ?x")
    with pytest.raises(QueryTypeError, match="unknown prefix 'no:'"):
        tokens("?e no:p ?x")


def test_what_is_rendered_is_sparql_for_oxigraph() -> None:
    """It takes no space behind the names of some functions."""
    for call in ("CONCAT ( ?a , 'x' )", "COALESCE(?a, ?b)", "STR ( ?a )", "concat (?a)"):
        text = render(tokens(f"FILTER ( {call} = 'x' )"))
        Store().query(f"SELECT * {{ ?a ?b ?c {text} }}")
