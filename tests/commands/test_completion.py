"""What shells offer: asked as a shell asks, by the environment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kaicep.api.clients import submit
from kaicep.cli import app
from kaicep.config import Settings
from support.command_line import write_project
from typer.testing import CliRunner


def offered(*words: str) -> list[str]:
    """What bash would offer for the last word."""
    environment = {
        "_KAICEP_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["kaicep", *words]),
        "COMP_CWORD": str(len(words)),
    }
    return CliRunner(env=environment).invoke(app, prog_name="kaicep").stdout.split()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, above that of a project, `p`."""
    (tmp_path / "p").mkdir()
    write_project(tmp_path / "p")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands_and_options() -> None:
    assert offered("wit") == ["withdraw"]
    assert "--format" in offered("why", "--")
    assert offered("explain", "--format", "m") == ["mermaid"]


def test_projects_are_folders_with_a_project_file(here: Path) -> None:
    (here / "other").mkdir()
    assert offered("check", "") == ["p"]
    assert offered("try", "q", "--project", "p") == ["p"]
    assert offered("run", f"{here}/") == [f"{here}/p"]
    assert offered("check", "x") == []


def test_queries_are_files(here: Path) -> None:
    assert offered("explain", "p/") == ["p/queries/high.chi"]
    assert offered("explain", "p/queries/h") == ["p/queries/high.chi"]
    assert offered("explain", "") == []


def test_streams_are_those_of_the_project(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered("why", "q", "--project", "p", "--stream", "a") == ["air"]
    assert offered("check", "p", "--stream", "a") == ["air"]
    assert offered("why", "q", "--stream", "a") == []
    monkeypatch.chdir(here / "p")
    assert offered("why", "q", "--stream", "") == ["air"]


def test_a_project_file_that_is_broken_offers_nothing(here: Path) -> None:
    (here / "p" / "kaicep.toml").write_text("[streams")
    assert offered("why", "q", "--project", "p", "--stream", "") == []


def test_submitted_queries_can_be_withdrawn(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that `kaicep submit` keeps; a file that is broken is passed over."""
    monkeypatch.chdir(here / "p")
    assert offered("withdraw", "") == []
    text = "CREATE QUERY hot AS SELECT ?e.flow; CREATE QUERY low AS SELECT ?e.flow"
    submit(Settings.load("."), text, None, None)
    (broken,) = [path.with_stem("000009") for path in Path("var").rglob("documents/*.json")]
    broken.write_text(json.dumps({"label": "x"}))
    assert offered("withdraw", "") == ["hot", "low"]
    assert offered("withdraw", "h") == ["hot"]
    monkeypatch.chdir(here)
    assert offered("withdraw", "-p", "p", "h") == ["hot"]
    assert offered("withdraw", "hot", "") == ["p"]
