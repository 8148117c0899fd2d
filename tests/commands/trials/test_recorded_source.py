"""Recorded events, and what cannot be used of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import PipelineError, Project
from kaicep.commands.trials.recorded_source import read_recorded
from support.command_line import HIGH, call, line


def test_try_tells_how_many_events_are_late_or_came_again(project: Path) -> None:
    path = project / "events.jsonl"
    path.write_text(line(30, 60) + line(30, 60) + line(1, 60) + line(2, 70))
    result = call("try", HIGH, "-e", path, "-p", project)
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == (
        "late events of stream air, left out: 2 (see its lateness)\n"
        "events of stream air that came again, left out: 1 (see its identity)\n"
    )


def test_try_tells_which_records_are_no_events(project: Path) -> None:
    path = project / "events.jsonl"
    path.write_text("{\n" + line(1, "abc") + line(2, 60) + "5\n" * 3)
    result = call("try", HIGH, "-e", path, "-p", project)
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == (
        f"{path}:1: no JSON: Expecting property name enclosed in double quotes at character 2\n"
        f"{path}:4: a number instead of an object\n"
        f"{path}:5: a number instead of an object\n"
        "… and 2 more records of stream air that are no events\n"
    )
    assert call("try", HIGH, "-e", path, "-p", project, "--quiet").stderr == ""


def test_files_are_of_the_stream_that_they_are_named_with(project: Path) -> None:
    loaded, path = Project.load(project), str(project / "events.jsonl")
    for entry, stream in ((path, None), (path, "air"), (f"air={path}", "water")):
        tables, complaints = read_recorded(loaded, [entry], stream)
        assert ({name: table.num_rows for name, table in tables.items()}, complaints) == ({"air": 3}, ())


def test_files_of_a_stream_follow_one_another(project: Path) -> None:
    (project / "more.jsonl").write_text(line(9, 1))
    entries = [str(project / "events.jsonl"), str(project / "more.jsonl")]
    tables, _ = read_recorded(Project.load(project), entries, None)
    assert tables["air"]["flow"].to_pylist() == [40.0, 60.5, 70, 1]


def test_which_of_several_streams_has_to_be_said(project: Path) -> None:
    settings = (project / "kaicep.toml").read_text()
    other = settings[settings.index("[streams.air]") :].replace("streams.air", "streams.water")
    (project / "kaicep.toml").write_text(settings + other)
    with pytest.raises(PipelineError, match=r"NAME is air or water"):
        read_recorded(Project.load(project), [str(project / "events.jsonl")], None)
