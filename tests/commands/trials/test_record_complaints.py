"""What is told of records that could not be used."""

from __future__ import annotations

from pathlib import Path

from support.command_line import HIGH, call, line


def test_try_tells_how_many_events_are_late_or_came_again(project: Path) -> None:
    path = project / "events.jsonl"
    path.write_text(line(30, 60) + line(30, 60) + line(1, 60) + line(2, 70))
    result = call("try", HIGH, "-e", path, "-p", project)
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr.startswith(
        "late events of stream air, left out: 2 (see its lateness)\n"
        "events of stream air that came again, left out: 1 (see its identity)\n"
    )


def test_try_tells_which_records_are_no_events(project: Path) -> None:
    path = project / "events.jsonl"
    path.write_text("{\n" + line(1, "abc") + line(2, 60) + "5\n" * 3)
    result = call("try", HIGH, "-e", path, "-p", project)
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr.startswith(
        f"{path}:1: no JSON: Expecting property name enclosed in double quotes at character 2\n"
        f"{path}:4: a number instead of an object\n"
        f"{path}:5: a number instead of an object\n"
        "… and 2 more records of stream air that are no events\n"
    )
    assert call("try", HIGH, "-e", path, "-p", project, "--quiet").stderr == ""


def test_the_first_few_of_all_files_are_shown(project: Path) -> None:
    """Room that one file leaves is for the next one's."""
    first, second = project / "1.jsonl", project / "2.jsonl"
    first.write_text("5\n" * 2)
    second.write_text("6\n" * 2 + line(2, "x"))
    told = call("try", HIGH, "-e", first, "-e", second, "-p", project).stderr.splitlines()
    assert [text.split(":")[0] for text in told[:3]] == [str(first), str(first), str(second)]
    assert told[3] == "… and 2 more records of stream air that are no events"
