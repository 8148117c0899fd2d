"""Queries are answered over all that the archive has, where they say nothing of time."""

from __future__ import annotations

import pytest
from kaicep.errors import QuerySyntaxError
from kaicep.language import Statement
from kaicep.language.syntax import parse_document
from kaicep.server.queries.query_backfill import with_past


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?e.flow",
        "SELECT ?e.flow FILTER (?e.flow > 50)",
        "CREATE QUERY high AS SELECT ?e.flow AS flow FROM (?e, air) WHERE { FILTER (?e.flow > 50) }",
        "SELECT ?a.flow FROM (?a, air), (?b, air) IN CONTEXT door.open WHERE { SEQ (?a, ?b) WINDOW (?a, ?b, 1min) }",
        "SELECT ?e.flow; CREATE QUERY b AS SELECT ?f.flow FROM (?f, air)",
    ],
)
def test_every_query_says_of_all_time(text: str) -> None:
    found = with_past(text)
    statements = [part for part in parse_document(found) if isinstance(part, Statement)]
    assert all(one.query.within is not None for one in statements)
    assert found.replace(" WITHIN ( , ) ", "") == text


def test_what_says_of_which_time_stays() -> None:
    text = "SELECT ?e.flow WITHIN (now - 1h, ) FILTER (?e.flow > 50)"
    assert with_past(text) == text
    with pytest.raises(QuerySyntaxError):
        with_past("SELECT")
