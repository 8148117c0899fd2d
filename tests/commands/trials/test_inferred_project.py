"""Queries over files of events, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kaicep.commands.trials import infer_project
from kaicep.errors import PipelineError
from support.command_line import call

READINGS = "Time;room 1 temp;co2\n04.03.2021 10:00;20,5;410\n04.03.2021 10:05;21,5;910\n13.03.2021 10:10;;400\n"


@pytest.fixture
def readings(tmp_path: Path) -> Path:
    path = tmp_path / "2021 readings.csv"
    path.write_text(READINGS)
    return path


def test_one_line_without_a_project(readings: Path) -> None:
    """Stream, attributes, types, separator, decimal commas and the format of time are recognised, and told."""
    result = call("try", "SELECT ?e.co2, ?e.room_1_temp AS temp FILTER (?e.co2 > 405)", "-e", readings)
    assert result.exit_code == 0
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["co2"], row["temp"], row["_time"]) for row in rows] == [
        (410, 20.5, "2021-03-04T10:00:00Z"),
        (910, 21.5, "2021-03-04T10:05:00Z"),
    ]
    assert result.stderr.splitlines() == [
        "stream _2021_readings: time Time (day_first, taken as UTC), room_1_temp ('room 1 temp') double, co2 integer",
        "stream _2021_readings: 3 events",
        "query (unnamed): 2 rows",
        "  ?e: 3 of _2021_readings → 2 FILTER (?e.co2 > 405)",
    ]
    assert call("try", "SELECT ?e.co2", "-e", readings, "-q").stderr == ""


def test_a_doubt_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("t,x\n01/02/2021 10:00,1\n01/02/2021 10:05,2\n")
    told = infer_project([str(path)]).told
    assert told[1] == (
        "nothing in t tells day_first from month_first: day_first is taken; "
        "a project file can state the other (time.format)"
    )


def test_several_files_are_several_streams(tmp_path: Path) -> None:
    for name, moments in (("air", (1, 3)), ("water", (2, 4))):
        lines = "".join(f'{{"at": "2026-01-01T00:00:0{s}Z", "s": "x", "v": {s}}}\n' for s in moments)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    query = "SELECT ?a.v AS a, ?w.v AS w FROM (?a, air), (?w, pool) JOIN (?a.s = ?w.s) SEQ (?a, ?w) WINDOW (?a, ?w, 1s)"
    files = ("-e", tmp_path / "air.jsonl", "-e", f"pool={tmp_path / 'water.jsonl'}")
    rows = [json.loads(line) for line in call("try", query, *files, "-q").stdout.splitlines()]
    assert [(row["a"], row["w"]) for row in rows] == [(1, 2), (3, 4)]


def test_a_folder_is_a_stream_in_order_of_time(tmp_path: Path) -> None:
    folder = tmp_path / "readings"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.csv").write_text("t,x\n2026-01-01,1\n2026-01-02,2\n")
    result = call("try", "SELECT ?e.x", "-e", folder)
    assert [json.loads(line)["x"] for line in result.stdout.splitlines()] == [1, 2]
    assert "events of stream readings that came again, left out: 2" in result.stderr


def test_a_file_that_is_not_in_order_is_put_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("t,x\n2026-01-02,2\n2026-01-01,1\n")
    result = call("try", "SELECT ?e.x", "-e", path)
    assert [json.loads(line)["x"] for line in result.stdout.splitlines()] == [1, 2]


def test_a_path_wants_a_project(readings: Path) -> None:
    result = call("try", "SELECT ?e.co2 PATH { ?e a <urn:X> }", "-e", readings)
    assert result.exit_code == 1
    assert result.stderr == (
        "a PATH asks the knowledge of a project, and without one there is none: name a project with --project; "
        "kaicep init makes one of a model and a file of events\n"
    )


def test_a_file_without_time_stamps_says_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "rooms.csv"
    path.write_text("room,seats\na,3\n")
    with pytest.raises(PipelineError) as found:
        infer_project([str(path)])
    assert str(found.value).startswith(
        f"none of the columns of {path} holds time stamps: the columns are 'room', 'seats': kaicep reads ISO 8601,"
    )


def test_a_file_in_iso_8859_1_is_read_as_such_and_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("t,ø\n2026-01-01,å\n", encoding="iso-8859-1")
    inferred = infer_project([str(path)])
    assert inferred.told[1:] == (f"{path} is not UTF-8: it is read as windows-1252",)
    source = inferred.project.settings.streams["a"].source
    assert source is not None
    assert source.options()["encoding"] == "windows-1252"
