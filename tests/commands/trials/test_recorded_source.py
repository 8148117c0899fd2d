"""Which stream recorded events are of, and their batches."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import PipelineError, Project
from kaicep.commands.trials.recorded_source import recorded_streams
from support.command_line import PROJECT, call, line


def flows(project: Path, entries: list[str], stream: str | None = None) -> dict[str, list[object]]:
    streams = recorded_streams(Project.load(project), entries, stream)
    return {
        name: [flow for batch in found.batches() for flow in batch.table["flow"].to_pylist()]
        for name, found in streams.items()
    }


def test_files_are_of_the_stream_that_they_are_named_with(project: Path) -> None:
    path = str(project / "events.jsonl")
    for entry, stream in ((path, None), (path, "air"), (f"air={path}", "water")):
        assert flows(project, [entry], stream) == {"air": [40.0, 60.5, 70]}


def test_files_of_a_stream_follow_one_another(project: Path) -> None:
    (project / "more.jsonl").write_text(line(9, 1))
    entries = [str(project / "events.jsonl"), str(project / "more.jsonl")]
    assert flows(project, entries) == {"air": [40.0, 60.5, 70, 1]}


def test_files_without_records_are_known_by_name(project: Path) -> None:
    empty = project / "empty.jsonl"
    empty.write_text("\n")
    stream = recorded_streams(Project.load(project), [str(empty), str(project / "events.jsonl")], None)["air"]
    assert sum(batch.table.num_rows for batch in stream.batches()) == 3
    assert stream.without_records == [empty]
    assert stream.taken == stream.bytes == 1 + (project / "events.jsonl").stat().st_size


def test_which_of_several_streams_has_to_be_said(project: Path) -> None:
    other = PROJECT[PROJECT.index("[streams.air]") :].replace("streams.air", "streams.water")
    (project / "kaicep.toml").write_text(PROJECT + other)
    with pytest.raises(PipelineError, match=r"NAME is air or water"):
        recorded_streams(Project.load(project), [str(project / "events.jsonl")], None)


def test_a_file_that_is_not_there_is_refused_with_what_is_there(project: Path) -> None:
    result = call("try", "SELECT ?e.flow", "-e", project / "event.jsonl", "-p", project)
    assert result.exit_code == 1
    assert result.stderr == (
        f"cannot read {project / 'event.jsonl'}: No such file or directory: did you mean 'events.jsonl'?\n"
    )
    result = call("try", "SELECT ?e.flow", "-e", project / "no" / "e.csv", "-p", project)
    assert result.stderr.endswith(f"No such file or directory: there is no folder {project / 'no'}\n")
