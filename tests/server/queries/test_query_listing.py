"""The registered queries are listed with their texts, whether an engine runs or not."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from kaicep.api.clients import submit
from kaicep.config import Settings
from kaicep.pipeline.monitoring import QueryStatus
from kaicep.server.problem import ProblemError
from kaicep.server.queries import ListedQuery
from kaicep.server.queries.query_listing import listed_queries, with_status
from support.command_line import HIGH

NONE = ox.Store()


def test_queries_of_the_project_and_submitted_ones(settings: Settings) -> None:
    submit(settings, f"CREATE QUERY hot AS {HIGH}", None, None)
    high, hot = listed_queries(NONE, settings, lives=False)
    assert high == ListedQuery("high", text=HIGH, columns=("sensor", "flow"), reads=("air",))
    assert (hot.label, hot.submitted, hot.named, hot.text) == ("hot", True, True, f"CREATE QUERY hot AS {HIGH}")


def test_what_changes_contexts_is_no_query(settings: Settings) -> None:
    text = """CREATE CONTEXTS door (shut DEFAULT, open);
    INITIATE CONTEXT open FROM (?e, air) WHERE { FILTER (?e.flow > 1) };"""
    (settings.root / "queries" / "door.chi").write_text(text)
    found = {one.label: one.kind for one in listed_queries(NONE, settings, lives=False)}
    assert found == {"door.open.initiate": "contexts", "high": "query"}


def test_a_project_that_is_wrong_is_told(settings: Settings) -> None:
    (settings.root / "queries" / "wrong.chi").write_text("SELECT")
    with pytest.raises(ProblemError) as problem:
        listed_queries(NONE, settings, lives=False)
    assert problem.value.status == 409


def test_what_the_engine_says(settings: Settings) -> None:
    listed = listed_queries(NONE, settings, lives=True)
    told = {"high": QueryStatus("parked", 42, "it fails"), "given": QueryStatus("running", 1)}
    high, given = with_status(listed, told, lives=True)
    assert (high.state, high.matches, high.reason) == ("parked", 42, "it fails")
    assert (given.label, given.state, given.matches, given.text) == ("given", "running", 1, None)
    (stopped,) = with_status(listed, told, lives=False)
    assert (stopped.state, stopped.matches, stopped.reason) == ("waits", 42, None)
    (fresh,) = with_status(listed, {}, lives=True)
    assert fresh.state == "registered"
