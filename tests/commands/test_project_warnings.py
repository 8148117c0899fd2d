"""What of a project may be wrong: sources that are not there, or hold nothing that can be read."""

from __future__ import annotations

from pathlib import Path

from kaicep import Project
from kaicep.commands.project_warnings import source_warnings, warnings_of
from kaicep.config import Settings
from support.command_line import PROJECT, call, drop, line


def warnings(project: Path, **source: str) -> list[str]:
    written = ", ".join(
        f'{key} = "{value}"' for key, value in {"format": "json", "path": "incoming/", **source}.items()
    )
    text = PROJECT.replace('source = { format = "json", path = "incoming/" }', f"source = {{ {written} }}")
    (project / "kaicep.toml").write_text(text)
    return list(source_warnings(Settings.load(project)))


def test_a_folder_that_is_not_there_is_told_by_check(project: Path) -> None:
    folder = project / "incoming"
    expected = (
        f"warning: stream air has nothing to read: there is no folder {folder}: make it, or set source.path, which "
        "starts from the folder of the project file"
    )
    assert warnings(project) == [expected]
    assert call("check", project).stderr == expected + "\n"
    assert "nothing to read" not in call("check", project, "-e", project / "events.jsonl").stderr


def test_a_folder_without_files_is_told(project: Path) -> None:
    (project / "incoming").mkdir()
    (project / "incoming" / ".hidden.json").write_text(line(1, 1))
    (told,) = warnings(project)
    assert told.endswith(f"the folder {project / 'incoming'} has no file yet")


def test_a_pattern_that_matches_nothing_is_told(project: Path) -> None:
    (told,) = warnings(project, path="in*/*.json")
    assert told == f"warning: stream air has nothing to read: no file matches {project}/in*/*.json"


def test_files_that_are_empty_or_of_another_kind_are_told(project: Path) -> None:
    drop(project, "a.json", "")
    drop(project, "b.json", line(1, 1))
    (project / "incoming" / "c.xlsx").write_bytes(b"\xd0\xcf\x11\xe0")
    empty, workbook = (project / "incoming" / name for name in ("a.json", "c.xlsx"))
    assert warnings(project) == [
        f"warning: stream air: {empty} is empty",
        f"warning: stream air: cannot read {workbook}: it is an Excel workbook: save its sheet as CSV",
    ]


def test_sources_elsewhere_and_files_that_are_there_are_not_told(project: Path) -> None:
    drop(project, "b.json", line(1, 1))
    assert warnings(project) == []
    assert warnings(project, path="s3://bucket/readings") == []


def test_contexts_that_nothing_initiates_are_told_over_all_documents(project: Path) -> None:
    loaded = Project.load(project)
    declared = loaded.compile("CREATE CONTEXTS air (calm DEFAULT, high, low); TERMINATE CONTEXT low FROM (?e, air)")
    told = warnings_of(loaded, declared)
    assert [warning.splitlines()[0] for warning in told] == [
        "warning: query:1:36: nothing ever initiates context 'high' of 'air'",
        "warning: query:1:42: nothing ever initiates context 'low' of 'air'",
    ]
    text = "INITIATE CONTEXT high FROM (?e, air); INITIATE CONTEXT low FROM (?e, air)"
    assert warnings_of(loaded, [*declared, *loaded.compile(text, outputs=declared)]) == []


def test_a_folder_that_posted_events_fill_is_not_told(project: Path) -> None:
    """The first of them makes it, and what was read leaves it; one that keeps its files has none yet."""
    assert warnings(project, cleanSource="delete") == []
    (project / "incoming").mkdir()
    assert warnings(project, cleanSource="delete") == []
    assert len(warnings(project, cleanSource="off")) == 1
