"""Commands for a server elsewhere do what they do for a project."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer
from kaicep.commands.remote import server_of
from kaicep.config import Settings
from kaicep.pipeline.monitoring import status_bytes, status_file
from support.command_line import HIGH, call
from support.servers import serving
from support.statuses import busy_engine


def test_queries_of_a_server(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Settings.load(project)) as url:
        done = call("submit", HIGH, "--name", "hot", "--server", url)
        assert (done.exit_code, done.stdout) == (0, "hot: registered\n")
        monkeypatch.setenv("KAICEP_SERVER", url)
        listed = call("queries")
        assert [json.loads(line)["query"] for line in listed.stdout.splitlines()] == ["high", "hot"]
        assert call("explain", HIGH).stdout.startswith("query")
        wrong = call("submit", "SELECT ?e.flwo")
        assert wrong.exit_code == 1
        assert wrong.stderr.splitlines()[-1].lstrip(" |").startswith("^^^^ did you mean 'flow'")
        assert call("withdraw", "hot").stdout == "hot: withdrawn\n"
        assert call("resume", "high").exit_code == 1
        assert call("park", "high").stdout.endswith("until it is resumed\n")
        assert call("park", "high").exit_code == 1
        assert call("resume", "high").stdout == "high: goes on with what it has missed when an engine starts\n"
        assert call("ask", "SELECT").exit_code == 1
        assert call("status").exit_code == 1
        both = call("queries", "-p", project, "--server", url)
        assert both.exit_code == 2


def test_status_of_a_server(project: Path) -> None:
    settings = Settings.load(project)
    file = status_file(settings.path(settings.engine.state))
    file.parent.mkdir(parents=True)
    file.write_bytes(status_bytes(busy_engine(datetime.now(UTC))))
    with serving(settings) as url:
        told = call("status", "--server", url)
        assert told.stdout.startswith("engine: killed")
        assert json.loads(call("status", "--json", "--server", url).stdout)["state"] == "killed"


def test_a_project_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KAICEP_SERVER", "http://127.0.0.1:9")
    assert server_of(None, tmp_path) is None
    assert server_of(None, None) is not None
    with pytest.raises(typer.BadParameter, match="is named beside the project"):
        server_of("http://127.0.0.1:9", None, tmp_path)
    monkeypatch.delenv("KAICEP_SERVER")
    assert server_of(None, None) is None


def test_what_is_missing_is_told() -> None:
    for words in (("sparql", "ASK {}"), ("explain", "SELECT ?e.a"), ("try", "SELECT ?e.a"), ("queries",)):
        done = call(*words)
        assert done.exit_code == 2
        assert "issing" in done.stderr
    assert call("try", "SELECT ?e.a", "--server", "http://127.0.0.1:9").exit_code == 2
