"""Queries are registered at batch borders, with their past, and their handles get what becomes certain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kaicep import Engine, PlanError, Project
from support.gateway_files import FILES, QUERIES, ROWS, settings, tuples, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


pytestmark = pytest.mark.spark

WITHIN_FORMS = {
    "high": "SELECT ?e.sensor, ?e.flow FROM (?e, air)",
    "pairs": "SELECT ?a.sensor FROM (?a, air), (?b, air)",
    "mean": "SELECT AVG(?e.flow) AS mean FROM (?e, air)",
    "rises": "SELECT COUNT(?r) AS rises FROM (?r, rise)",
}
REST = {
    "high": "FILTER (?e.flow > 70)",
    "pairs": "JOIN (?a.sensor = ?b.sensor) JOIN (?b.flow > ?a.flow) SEQ (?a, ?b) WINDOW (?a, ?b, 20s)",
    "mean": "WINDOW (?e, batch, 10s)",
    "rises": "WINDOW (?r, batch, 30s)",
}


def test_a_handle_gives_rows_and_ends_with_its_limit(tmp_path: Path, spark: SparkSession) -> None:
    write(tmp_path / "in", tuples(4))
    project = Project.parse(settings(), root=tmp_path)
    text = QUERIES["high"] + " PATH { ?e a <urn:Report> } LIMIT 3"
    with Engine(project, spark=spark) as engine:
        handle = engine.submit(text, label="first")
        before = handle.state
        assert "so far" not in handle.explain()
        rows = list(handle.matches())
        assert (before, handle.state) == ("registered", "ended")
        (cost,) = handle.subqueries
        assert f"so far: {cost}" in handle.explain()
    assert len(rows) == 3
    assert 3 <= cost.events <= FILES * ROWS
    assert (cost.misses, cost.hits + cost.misses) == (1, cost.keys)
    assert rows == Project.parse(settings()).evaluate(text, {"air": [r for f in tuples(4) for r in f]})


def test_a_query_submitted_later_begins_at_now(tmp_path: Path, spark: SparkSession) -> None:
    """Its default WITHIN is what comes after the greatest time stamp at the batch border."""
    files = tuples(5)
    write(tmp_path / "in", files[:3])
    project = Project.parse(settings(), root=tmp_path)
    with Engine(project, spark=spark) as engine:
        engine.run_available()
        border = engine.progress.time
        assert border is not None
        handle = engine.submit(QUERIES["high"], label="late")
        write(tmp_path / "in", files)
        engine.run_available()
        engine.finish()
        rows = list(handle.matches())
    assert rows
    assert min(row["_time"] for row in rows) > border


def test_a_query_submitted_later_may_begin_in_the_past(tmp_path: Path, spark: SparkSession) -> None:
    """The log answers what WITHIN asks of the time before; the rows are those of a query that was always there."""
    files = tuples(7)
    raw = [row for rows in files for row in rows]
    write(tmp_path / "in", files[:4])
    project = Project.parse(settings(archive=True), root=tmp_path)
    texts = {label: f"{text} WITHIN (2026-03-01T00:01, ) {REST[label]}" for label, text in WITHIN_FORMS.items()}
    with Engine(project, spark=spark) as engine:
        engine.submit(QUERIES["rise"], collect=False)
        engine.run_available()
        handles = {label: engine.submit(text, label=label) for label, text in texts.items()}
        write(tmp_path / "in", files)
        engine.run_available()
        engine.finish()
        found = {label: list(handle.matches()) for label, handle in handles.items()}
    for label, text in texts.items():
        document = f"{QUERIES['rise']}; {text}" if label == "rises" else text
        expected = project.evaluate(document, {"air": raw})
        assert expected
        assert [row["_events"] for row in found[label]] == [row["_events"] for row in expected]


def test_without_an_archive_there_is_no_past(tmp_path: Path, spark: SparkSession) -> None:
    files = tuples(8)
    write(tmp_path / "in", files[:2])
    with Engine(Project.parse(settings(), root=tmp_path), spark=spark) as engine:
        engine.run_available()
        past = engine.submit("SELECT ?e.flow FROM (?e, air) WITHIN (2026-03-01T00:01, )", label="past")
        write(tmp_path / "in", files)
        engine.run_available()
        with pytest.raises(PlanError) as error:
            list(past.matches())
    assert past.state == "parked"
    assert str(error.value) == (
        "'past' begins in the past, of which there is no archive: set archive.enabled, or begin WITHIN at now"
    )
