"""A project as people have it in Python: refusals say what to do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from kaicep import PlanError, QueryTypeError
from support.letters import BEGIN, project, stream

TEXT = "SELECT ?e.x FROM (?e, letters) FILTER (?e.x > 1)"


def evaluated(**options: Any) -> list[float]:
    return [row["x"] for row in project().evaluate(TEXT, stream("a1 a2 a3 a4"), **options)]


def test_rows_are_those_of_the_last_query() -> None:
    text = f"CREATE QUERY all AS SELECT ?e.x FROM (?e, letters); {TEXT}"
    assert [row["x"] for row in project().evaluate(text, stream("a1 a2"))] == [2.0]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["live", "replay", "rewrite", "hybrid", None])
def test_rows_do_not_depend_on_the_strategy(strategy: Any) -> None:
    text = TEXT.replace(" FILTER", " WITHIN (, ) FILTER")
    when = BEGIN + timedelta(seconds=2)
    found = project().evaluate(text, stream("a1 a2 a3 a4"), strategy=strategy, registered_at=when)
    assert [row["x"] for row in found] == [2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "replai"}, "there is no strategy 'replai': did you mean 'replay'?"),
        ({"overlap": timedelta(seconds=-1)}, "overlap is negative"),
        ({"in_flight": timedelta(seconds=-1)}, "in_flight is negative"),
        ({"outage": (BEGIN, BEGIN - timedelta(1))}, "the outage ends before it begins"),
    ],
)
def test_what_cannot_be_tried_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError) as error:
        evaluated(**options)
    assert message in str(error.value)


def test_an_unknown_stream_is_refused() -> None:
    with pytest.raises(QueryTypeError, match="did you mean 'letters'"):
        project().evaluate(TEXT, {"leters": []})


def test_a_query_is_explained_in_words() -> None:
    (query,) = project().compile(TEXT)
    told = project().explain(query)
    assert told.splitlines()[0] == "query (unnamed): selection"
    assert "    filter on columns: ?e.x > 1" in told.splitlines()


def test_an_event_is_explained() -> None:
    (event,) = stream("a1")["letters"]
    found = project().why(TEXT, event)
    assert not found.holds
    assert found.candidacies[0].clauses[0].note == "?e.x is 1, equal"
