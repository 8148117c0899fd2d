"""A check of a project tells everything that is wrong, not only the first fault."""

from __future__ import annotations

from pathlib import Path

from support.command_line import PROJECT, call


def test_check_tells_what_there_is(project: Path) -> None:
    result = call("check", project)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == (
        f"project {project / 'kaicep.toml'}\n"
        "knowledge: 4 statements in 0 modules, closed by rl\n"
        "stream air: ex:Reading, 2 attributes, json from incoming/\n"
        f"query high: {project / 'queries' / 'high.chi'}\n"
    )


def test_check_tells_every_fault_of_the_settings(project: Path) -> None:
    text = PROJECT.replace("trigger", "triger").replace("event_type", "eventtype")
    (project / "kaicep.toml").write_text(text)
    result = call("check", project)
    assert result.exit_code == 1
    assert sorted(result.stderr.splitlines()) == [
        f"{project / 'kaicep.toml'}: engine.triger: unknown key 'triger': did you mean 'trigger'?",
        f"{project / 'kaicep.toml'}: streams.air.event_type: is missing: see docs/project.md",
        f"{project / 'kaicep.toml'}: streams.air.eventtype: unknown key 'eventtype': did you mean 'event_type'?",
    ]


def test_check_tells_the_faults_of_all_queries(project: Path) -> None:
    (project / "queries" / "a.chi").write_text("SELECT ?e.flw")
    (project / "queries" / "b.chi").write_text("SELECT")
    result = call("check", project)
    assert result.exit_code == 1
    assert "query high:" in result.stdout
    assert f"{project / 'queries' / 'a.chi'}:1:11: unknown attribute 'flw' of stream 'air'" in result.stderr
    assert f"{project / 'queries' / 'b.chi'}:1:7: " in result.stderr


def test_check_tells_the_faults_of_all_annotations_and_skips_the_queries(project: Path) -> None:
    text = PROJECT.replace("ex:Reading", "nope:Reading")
    other = text[text.index("[streams.air]") :].replace("streams.air", "streams.water")
    (project / "kaicep.toml").write_text(text + other)
    result = call("check", project)
    assert result.exit_code == 1
    faults = result.stderr.splitlines()
    assert [fault.split("streams.")[1].split(".")[0] for fault in faults[:2]] == ["air", "water"]
    assert faults[2:] == ["not checked: queries, since not all streams can be annotated"]


def test_check_tells_a_pattern_without_files(project: Path) -> None:
    (project / "queries" / "high.chi").unlink()
    result = call("check", project)
    assert result.exit_code == 1
    assert result.stderr == (
        f"{project / 'kaicep.toml'}: queries.files: no file matches 'queries/*.chi': patterns start from {project}\n"
    )
