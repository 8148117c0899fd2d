"""Queries without a name get one, and the text stays as it is otherwise."""

from __future__ import annotations

import pytest
from kaicep.errors import QuerySyntaxError
from kaicep.server.problem import ProblemError
from kaicep.server.queries.query_naming import with_names

HIGH = "SELECT ?e.flow FILTER (?e.flow > 50)"


def test_a_query_without_a_name_gets_one() -> None:
    assert with_names(HIGH, "hot", []) == f"CREATE QUERY hot AS {HIGH}"
    assert with_names(HIGH, None, ["query1"]) == f"CREATE QUERY query2 AS {HIGH}"
    assert with_names(f"# so\nPREFIX a: <urn:a> {HIGH}", None, []).endswith(f"<urn:a> CREATE QUERY query1 AS {HIGH}")


def test_of_several_each_gets_its_own() -> None:
    text = f"{HIGH}; CREATE QUERY query2 AS {HIGH}; {HIGH}"
    assert with_names(text, None, []) == (
        f"CREATE QUERY query1 AS {HIGH}; CREATE QUERY query2 AS {HIGH}; CREATE QUERY query3 AS {HIGH}"
    )
    assert "CREATE QUERY hot_1 AS" in with_names(text, "hot", [])
    assert "CREATE QUERY hot_2 AS" in with_names(text, "hot", [])


@pytest.mark.parametrize(
    "text",
    [
        f"CREATE QUERY hot AS {HIGH}",
        "CREATE CONTEXTS door (shut DEFAULT, open); INITIATE CONTEXT open FROM (?e, air) FILTER (?e.flow > 1)",
        "CREATE RULE tell ON air AS ?e IF (?e.flow > 1) DO CALL tell(?e.flow AS flow)",
    ],
)
def test_what_has_a_name_or_no_rows_stays(text: str) -> None:
    try:
        assert with_names(text, None, []) == text
    except QuerySyntaxError as error:
        pytest.fail(str(error))


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(ProblemError, match="'a b' is no name of a query") as problem:
        with_names(HIGH, "a b", [])
    assert problem.value.status == 400
