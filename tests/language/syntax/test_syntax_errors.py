"""Where the grammar cannot go on, the message says what it would have read."""

from __future__ import annotations

import pytest
from kaicep.errors import QuerySyntaxError
from kaicep.language.syntax import parse_document
from support.text_pairs import Case, each_case


@each_case("syntax_errors")
def test_syntax_errors(case: Case) -> None:
    error = case.message()
    assert str(error) == case.expected
    assert isinstance(error, QuerySyntaxError)


def hint(text: str) -> str | None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_document(text)
    return caught.value.hint


def test_what_is_accepted_as_a_whole_is_told_in_one_phrase() -> None:
    assert hint("SELECT ,") == "expected an expression or DISTINCT"
    assert hint("SELECT ?e.x FILTER (?e.x IN (5 >") == "expected ',' or ')'"
    assert hint("FILTER (?e.x > 5)") == "expected a query or the end"


def test_keywords_are_suggested_where_they_may_stand() -> None:
    assert hint("SELEKT ?e.x") == "did you mean 'SELECT'?"
    assert hint("SELECT ?e.x FLITER (?e.x > 5)") == "did you mean 'FILTER'?"


def test_the_order_of_clauses_is_that_of_the_grammar() -> None:
    order = "PARTITION, GROUP, HAVING, POLICY, AFTER, ORDER, LIMIT, OUTPUT"
    assert hint("SELECT ?e.x LIMIT 5 HAVING ?e.x > 5") == f"the clauses at the end come in the order {order}"
    assert (
        hint("SELECT ?e.x LIMIT 5 FROM (?e, s)")
        == "FROM, then WITHIN, stand behind SELECT and before all other clauses"
    )
