"""Queries are submitted and withdrawn as the command line does it, and what is wrong is told with a fitting status."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import patch

import pyoxigraph as ox
import pytest
from kaicep.config import Settings
from kaicep.pipeline.control import SilentEngineError, SubmittedQueries, folder_of
from kaicep.server.problem import ProblemError
from kaicep.server.queries.query_changes import Submitted, park_query, resume_query, submit_document, withdraw_query
from support.command_line import HIGH

NONE = ox.Store()


def refused(settings: Settings, text: str, label: str | None = None) -> ProblemError:
    with pytest.raises(ProblemError) as problem:
        submit_document(NONE, settings, text, label, None, [])
    return problem.value


def test_a_query_is_submitted_with_a_name_and_withdrawn(settings: Settings) -> None:
    assert submit_document(NONE, settings, HIGH, None, timedelta(hours=1), []) == Submitted(("query1",), ())
    (document,) = SubmittedQueries(folder_of(settings)).documents()
    assert (document.text, document.retention) == (f"CREATE QUERY query1 AS {HIGH}", timedelta(hours=1))
    again = refused(settings, f"CREATE QUERY query1 AS {HIGH}")
    assert (again.status, "'query1' already" in again.error.message) == (422, True)
    withdraw_query(NONE, settings, "query1")
    assert SubmittedQueries(folder_of(settings)).documents() == ()


def test_queries_that_come_at_once_have_names_of_their_own(settings: Settings) -> None:
    """Of what is registered, each of their requests knows what was there before all of them."""
    done = [submit_document(NONE, settings, HIGH, None, None, ["high"]).labels for _ in range(3)]
    assert done == [("query1",), ("query2",), ("query3",)]


def test_what_is_wrong_is_told_where_it_stands_in_what_was_sent(settings: Settings) -> None:
    wrong = refused(settings, "SELECT ?e.flow\nFILTER (?e.flwo > 50)")
    assert wrong.status == 422
    assert wrong.error.place is not None
    assert (wrong.error.place.line, wrong.error.place.column, wrong.error.place.length) == (2, 12, 4)
    assert wrong.error.hint is not None
    assert refused(settings, "SELECT").status == 422
    assert refused(settings, "# nothing").status == 422


def test_warnings_are_told(settings: Settings) -> None:
    done = submit_document(NONE, settings, "SELECT ?e.flow WHERE { PATH { ?e a ex:Nobody } }", "some", None, [])
    assert done.labels == ("some",)
    assert any("Nobody" in warning for warning in done.warnings)


def test_what_contradicts_what_is_registered(settings: Settings) -> None:
    with pytest.raises(ProblemError) as problem:
        withdraw_query(NONE, settings, "high")
    assert (problem.value.status, problem.value.error.message) == (409, "no query 'high' was submitted")
    with pytest.raises(ProblemError) as problem:
        resume_query(NONE, settings, "high")
    assert problem.value.status == 409


def test_a_query_is_parked_and_goes_on(settings: Settings) -> None:
    said = park_query(NONE, settings, "high", "ops")
    assert said[-1] == "high: parked when an engine starts, with what reads it, until it is resumed"
    with pytest.raises(ProblemError) as problem:
        park_query(NONE, settings, "high", None)
    assert (problem.value.status, problem.value.error.message) == (409, "'high' is parked already")
    assert resume_query(NONE, settings, "high") == ["high: goes on with what it has missed when an engine starts"]
    with pytest.raises(ProblemError) as problem:
        resume_query(NONE, settings, "high")
    assert problem.value.status == 409


def test_an_engine_that_does_not_answer_is_told_apart(settings: Settings) -> None:
    silent = SilentEngineError("the engine ended before it answered", hint="try it again")
    with (
        patch("kaicep.server.queries.query_changes.withdraw", side_effect=silent),
        pytest.raises(ProblemError) as problem,
    ):
        withdraw_query(NONE, settings, "high")
    assert problem.value.status == 503
