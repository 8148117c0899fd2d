"""Without an engine, queries are kept for the next start."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from kaicep import PipelineError, QueryTypeError
from kaicep.api.clients.submission_client import QUERY_COLUMNS, list_queries, submit, withdraw
from kaicep.config import Settings
from support.command_line import HIGH

PAIR = "SELECT ?a.flow FROM (?a, air), (?b, air) SEQ (?a, ?b)"


@pytest.fixture
def settings(project: Path) -> Settings:
    return Settings.load(project)


def labels(settings: Settings) -> list[str]:
    rows, said = list_queries(settings)
    assert said[0].startswith("no engine runs")
    assert all(tuple(row) == QUERY_COLUMNS for row in rows)
    return [row["query"] for row in rows]


def test_unnamed_queries_get_names(settings: Settings) -> None:
    submit(settings, HIGH, None, None)
    submit(settings, HIGH, "mine.chi", None)
    assert submit(settings, HIGH, None, None) == ["query-2: registered, it is answered when an engine starts"]
    assert labels(settings) == ["query-1", "mine", "query-2"]


def test_a_name_is_taken_once(settings: Settings) -> None:
    with pytest.raises(PipelineError, match="a query named 'high' is registered already"):
        submit(settings, HIGH, "high", None)
    assert labels(settings) == []


def test_retention_bounds_what_no_window_bounds(settings: Settings) -> None:
    with pytest.raises(QueryTypeError, match="there is no WINDOW"):
        submit(settings, PAIR, "pairs", None)
    submit(settings, PAIR, "pairs", timedelta(minutes=5))
    assert labels(settings) == ["pairs"]


def test_what_others_read_is_not_withdrawn(settings: Settings) -> None:
    submit(settings, f"CREATE QUERY higher AS {HIGH}", None, None)
    submit(settings, "SELECT ?h.flow FROM (?h, higher)", "reader", None)
    with pytest.raises(PipelineError, match="'higher' is read by reader"):
        withdraw(settings, "higher")
    assert withdraw(settings, "reader") == ["reader: withdrawn"]
    assert withdraw(settings, "higher") == ["higher: withdrawn"]
    assert labels(settings) == []


def test_only_what_was_submitted_is_withdrawn(settings: Settings) -> None:
    with pytest.raises(PipelineError, match="high"):
        withdraw(settings, "high")


def test_no_query_at_all_is_told(project: Path) -> None:
    rows, said = list_queries(Settings.load(project))
    assert (rows, said) == (
        [],
        ["no engine runs, and no query was submitted; those of the project are answered when one starts"],
    )


def test_a_set_of_contexts_stays_as_long_as_others_speak_of_it(settings: Settings) -> None:
    submit(settings, "CREATE CONTEXTS road (clear DEFAULT, jam); INITIATE CONTEXT jam FROM (?e, air)", None, None)
    submit(settings, "SELECT ?e.flow FROM (?e, air) IN CONTEXT jam", "jammed", None)
    with pytest.raises(PipelineError, match=r"without 'road.jam.initiate' jammed cannot be answered"):
        withdraw(settings, "road.jam.initiate")
    withdraw(settings, "jammed")
    assert withdraw(settings, "road.jam.initiate") == ["road.jam.initiate: withdrawn"]


def test_several_queries_change_one_context(settings: Settings) -> None:
    declared = "CREATE CONTEXTS road (clear DEFAULT, jam); INITIATE CONTEXT jam FROM (?e, air)"
    submit(settings, declared, None, None)
    submit(settings, f"{declared} FILTER (?e.flow > 3)", None, None)
    assert labels(settings) == ["road.jam.initiate", "road.jam.initiate-2"]


def test_a_project_that_no_engine_starts_with_is_told(settings: Settings, tmp_path: Path) -> None:
    submit(settings, HIGH, None, None)
    for file in tmp_path.rglob("*.chi"):
        file.write_text("SELECT")
    (row,), said = list_queries(settings)
    assert (row["state"], said[1][:40]) == ("waits", "no engine starts until this is mended: h")


def test_a_context_that_nothing_initiates_is_warned_of_with_its_place(settings: Settings) -> None:
    """Until something does."""
    said = submit(settings, "CREATE CONTEXTS road (clear DEFAULT, jam); SELECT ?e.flow IN CONTEXT jam", "jams", None)
    assert said[0].startswith("warning: jams:1:38: nothing ever initiates context 'jam' of 'road'\n")
    assert said[1:] == ["jams: registered, it is answered when an engine starts"]
    assert len(submit(settings, "INITIATE CONTEXT jam FROM (?e, air)", None, None)) == 1
    assert len(submit(settings, "SELECT ?e.flow IN CONTEXT jam", "more", None)) == 1
