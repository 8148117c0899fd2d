"""Which registration a state is of."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from kaicep import Project
from kaicep.pipeline.flow.queries.registration import (
    Registration,
    Withdrawal,
    continues,
    state_head,
    without_head,
)

NOW = datetime(2012, 5, 4, 9, 30, tzinfo=UTC)
STREAM = {
    "event_type": "<urn:Reading>",
    "time": {"attribute": "timestamp"},
    "attributes": {"x": {"datatype": "xsd:integer"}},
}
PROJECT = Project.parse({"streams": {"readings": STREAM}})


def registration(text: str, now: datetime | None = None) -> Registration:
    """Of the last query of a document."""
    return Registration(PROJECT.compile(text)[-1], "q", now)


def test_a_state_says_of_which_query_it_is_however_that_is_written() -> None:
    one = registration("SELECT ?e.x FROM (?e, readings) FILTER (?e.x > 5)")
    state = state_head(one.query, NOW) + b"what it holds"
    assert without_head(state) == b"what it holds"
    same = registration("select ?e.x\nfrom (?e, readings) filter (?e.x > 5)")
    assert continues(state, same) == replace(same, now=NOW)
    assert continues(state, registration("SELECT ?e.x FROM (?e, readings) FILTER (?e.x > 6)")) is None


@pytest.mark.parametrize(("now", "goes_on"), [(None, True), (NOW, True), (NOW + timedelta(seconds=1), False)])
def test_whoever_is_registered_once_more_begins_anew(now: datetime | None, goes_on: bool) -> None:
    asked = registration("SELECT ?e.x FROM (?e, readings)", now)
    found = continues(state_head(asked.query, NOW), asked)
    assert found == (replace(asked, now=NOW) if goes_on else None)


def test_a_query_that_was_withdrawn_goes_on_as_it_was_registered_then() -> None:
    """Another one may have its text, and was registered before the first event."""
    gone = replace(registration("SELECT ?e.x FROM (?e, readings)"), withdrawal=Withdrawal("q", 3, None, 0))
    assert continues(state_head(gone.query, NOW), gone) is None
    assert continues(state_head(gone.query, None), gone) == gone


def test_a_state_without_the_doubles_beside_integers_is_begun_anew() -> None:
    """Earlier versions kept none: a query over integers that may have left 64 bits cannot go on from there."""
    texts = "CREATE QUERY counts AS SELECT COUNT(?e) AS n, SUM(FLOOR(?e.x) + 1) AS s WINDOW (?e, batch, 10s);"
    for column, kept in (("n", True), ("s", False)):
        dataflow = PROJECT.dataflow()
        text = f"{texts} SELECT ?c.{column} FROM (?c, counts)"
        for i, query in enumerate(PROJECT.compile(text)):
            dataflow.register(Registration(query, f"q{i}"))
        runtime = dataflow.flows["q1"]
        state = runtime.snapshot()
        assert continues(state, runtime.registration) is not None
        before = state.replace(b" ?c.s~double", b"")
        size = int.from_bytes(before[:4], "big") - (len(state) - len(before))
        before = size.to_bytes(4, "big") + before[4:]
        assert (continues(before, runtime.registration) is not None) is kept
