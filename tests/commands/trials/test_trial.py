"""Recorded events through the data flow, batch by batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kaicep import Project
from kaicep.commands.trials.recorded_source import recorded_streams
from kaicep.commands.trials.trial import Trial
from kaicep.pipeline import queries_read
from kaicep.pipeline.flow import Registration
from kaicep.pipeline.sinks import rows
from kaicep.pipeline.sources import recorded_batches
from support.command_line import HIGH, PROJECT, line

PAIRS = (
    "SELECT ?a.flow AS a, ?b.flow AS b FROM (?a, air), (?b, water) JOIN (?a.sensor = ?b.sensor) "
    "SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"
)


def tried(loaded: Project, text: str, entries: list[str]) -> tuple[Trial, list[dict[str, Any]]]:
    read = queries_read(loaded, text)
    upstream = [Registration(query, query.name or "") for query in read]
    queries = (*upstream, *loaded.registrations(text, "query", read))
    trial = Trial(loaded, queries, recorded_streams(loaded, entries, None))
    return trial, [row for result in trial.results() for row in rows(result.matches[trial.labels[-1]])]


@pytest.fixture
def two_streams(project: Path) -> Path:
    """A second stream of the same kind, `water`; a file for each."""
    other = PROJECT[PROJECT.index("[streams.air]") :].replace("streams.air", "streams.water")
    (project / "kaicep.toml").write_text(PROJECT + other)
    (project / "air.jsonl").write_text("".join(line(second, second) for second in range(0, 60, 2)))
    (project / "water.jsonl").write_text("".join(line(second, -second) for second in range(1, 60, 7)))
    return project


@pytest.mark.parametrize("size", [64, 300, 1 << 20])
def test_the_rows_are_those_of_all_records_at_once(
    two_streams: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_batches, "_BYTES", size)
    loaded = Project.load(two_streams)
    files = {name: two_streams / f"{name}.jsonl" for name in ("air", "water")}
    trial, found = tried(loaded, PAIRS, [f"{name}={path}" for name, path in files.items()])
    streams = {name: [json.loads(text) for text in path.open()] for name, path in files.items()}
    expected = loaded.evaluate(PAIRS, streams)
    assert found == expected != []
    assert trial.progress.records == 39
    assert trial.progress.total_matches == len(expected)
    assert trial.taken == trial.size == sum(path.stat().st_size for path in files.values())


def test_streams_take_turns_by_their_watermarks(two_streams: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows come while both files are being read, so that no stream waits for the whole of another."""
    monkeypatch.setattr(recorded_batches, "_BYTES", 300)
    loaded = Project.load(two_streams)
    entries = [f"{name}={two_streams / name}.jsonl" for name in ("water", "air")]
    trial = Trial(loaded, loaded.registrations(PAIRS, "query"), recorded_streams(loaded, entries, None))
    counts = [result.matches[trial.labels[-1]].num_rows for result in trial.results()]
    assert sum(counts[:-2]) > sum(counts) / 2


def test_a_stream_without_a_file_holds_nobody_up(two_streams: Path) -> None:
    """It has ended before the others begin."""
    loaded = Project.load(two_streams)
    text = "SELECT ?a.flow AS a FROM (?a, air), (?n, water) SEQ (?a, NOT ?n FOR 3s)"
    trial = Trial(
        loaded,
        loaded.registrations(text, "query"),
        recorded_streams(loaded, [f"air={two_streams / 'air.jsonl'}"], None),
    )
    assert [result.matches["query"].num_rows for result in trial.results()] == [28, 2]


def test_every_goes_on_until_the_last_event_of_all_streams(two_streams: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the stream that it reads has ended long before, and however the files are cut."""
    first = (two_streams / "air.jsonl").read_text().splitlines(keepends=True)[:1]
    (two_streams / "air.jsonl").write_text(first[0])
    text = "SELECT ?a.flow AS a FROM (?a, air), (?b, air) SEQ (?a, EVERY 1s UNTIL ?b)"
    loaded = Project.load(two_streams)
    counts = []
    for size in (300, 2**20):
        monkeypatch.setattr(recorded_batches, "_BYTES", size)
        entries = [f"{name}={two_streams / name}.jsonl" for name in ("water", "air")]
        trial = Trial(loaded, loaded.registrations(text, "query"), recorded_streams(loaded, entries, None))
        counts.append(sum(result.matches["query"].num_rows for result in trial.results()))
    records = {name: (two_streams / f"{name}.jsonl").read_text() for name in ("water", "air")}
    streams = {name: [json.loads(line) for line in lines.splitlines()] for name, lines in records.items()}
    assert counts == [len(loaded.evaluate(text, streams))] * 2
    assert counts[0] > 5


def test_named_queries_of_the_project_are_answered_for_those_that_read_them(project: Path) -> None:
    (project / "queries" / "high.chi").write_text(f"CREATE QUERY high AS {HIGH}")
    trial, found = tried(
        Project.load(project), "SELECT ?h.flow AS flow FROM (?h, high)", [str(project / "events.jsonl")]
    )
    assert trial.labels == ["high", "query"]
    assert [row["flow"] for row in found] == [60.5, 70.0]


def test_files_of_several_sensors_are_taken_in_order_of_time(project: Path) -> None:
    """A folder with a file for each sensor, each from the beginning: nothing is late."""
    (project / "in").mkdir()
    for sensor, flow in (("s1", 1), ("s2", 60)):
        lines = "".join(f"2026-01-01T00:00:{second:02d}Z,{flow + second}\n" for second in (0, 30, 50))
        (project / "in" / f"{sensor}.csv").write_text("at,flow\n" + lines)
    source = 'source     = { format = "csv", path = "in/", file_name = "sensor", order = "time" }'
    text = "\n".join(source if part.startswith("source") else part for part in PROJECT.splitlines())
    (project / "kaicep.toml").write_text(text)
    query = (
        "SELECT ?a.flow AS a, ?b.flow AS b FILTER (?a.flow = 1) FILTER (?b.flow > 80) SEQ (?a, ?b) "
        "WINDOW (?a, ?b, 1min)"
    )
    trial, found = tried(Project.load(project), query, [str(project / "in")])
    assert [(row["a"], row["b"]) for row in found] == [(1.0, 90.0), (1.0, 110.0)]
    assert list(trial.complaints.lines()) == []
