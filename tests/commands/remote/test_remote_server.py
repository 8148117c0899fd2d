"""Commands for a server elsewhere do what they do for a project."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
import typer
from kaicep.api.remote import RemoteJob
from kaicep.commands.progress_bar import ProgressBar
from kaicep.commands.remote import hearing, server_of
from kaicep.config import Settings
from kaicep.pipeline.monitoring import status_bytes, status_file
from rich.console import Console
from support.archives import archived_project
from support.asked_engine import ASKED, stopped_engine
from support.command_line import HANGING_SECONDS, HIGH, PROPERTIES, call
from support.servers import serving
from support.statuses import busy_engine

TOKEN = "0123456789abcdef"  # noqa: S105 - of a test


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


def test_states_of_a_server_are_asked(tmp_path: Path) -> None:
    settings, expected = stopped_engine(tmp_path, ASKED[0])
    with serving(settings) as url:
        asked = call("ask", ASKED[0], "--server", url)
    rows = [json.loads(line) for line in asked.stdout.splitlines()]
    assert [row["id"] for row in rows] == [row["id"] for row in expected] != []


def test_the_archive_of_a_server_is_asked_and_queries_are_tried_on_it(tmp_path: Path) -> None:
    archived_project(tmp_path)
    file = tmp_path / "kaicep.toml"
    file.write_text(file.read_text() + '[streams.airflowReport.attributes]\nflowrate = { datatype = "xsd:double" }\n')
    with serving(Settings.load(tmp_path)) as url:
        asked = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"
        assert call("sparql", asked, "--server", url, "--format", "csv").stdout.split() == ["n", "150"]
        assert call("sparql", "ASK { ?e a e:Nothing }", "--server", url).stdout == "false\n"
        assert "Seen" in call("sparql", "CONSTRUCT { ?e a e:Seen } { ?e a e:AirflowReport }", "--server", url).stdout
        text = "SELECT ?e.flowrate AS flow FILTER (?e.flowrate > 73.5)"
        tried = call("try", text, "--server", url, "--last", "1h")
        assert [json.loads(line)["flow"] for line in tried.stdout.splitlines()] == [74.0, 74.5]
        assert tried.exit_code == 0


def test_modules_of_a_server(project: Path) -> None:
    (project / "rooms.ttl").write_text(PROPERTIES)
    with serving(Settings.load(project)) as url:
        added = call("ontology", "add", project / "rooms.ttl", "--server", url)
        assert (added.exit_code, added.stdout) == (0, f"{url}/graphs/rooms.ttl: added\n")
        (row,) = map(json.loads, call("ontology", "list", "--server", url).stdout.splitlines())
        assert (row["module"], row["triples"], row["from"]) == (f"{url}/graphs/rooms.ttl", 3, "added")
        (project / "two.ttl").write_text("<urn:a> <urn:b> 1, 2 .")
        call("ontology", "add", project / "two.ttl", "--replace", "rooms.ttl", "--server", url)
        (row,) = map(json.loads, call("ontology", "list", "--server", url).stdout.splitlines())
        assert row["triples"] == 2
        assert call("ontology", "remove", "rooms.ttl", "--server", url).stdout == "rooms.ttl: removed\n"
        assert call("ontology", "list", "--server", url).stdout == ""
        refused = call("ontology", "remove", "rooms.ttl", "--server", url)
        assert (refused.exit_code, "there is no graph" in refused.stderr) == (1, True)
        assert call("ontology", "remove", "x", "-p", project, "--server", url).exit_code == 2


def test_a_bar_says_what_a_job_is_at() -> None:
    """How far it is by what the server knows, and by name where that knows nothing."""
    console = Console(file=io.StringIO(), force_terminal=True)
    with ProgressBar(console, "sending rooms.ttl", patience=HANGING_SECONDS) as bar:
        hear = hearing(bar, "rooms.ttl")
        shown = []
        for state, progress, stage in (("waiting", None, None), ("running", 0.05, "reasoning")):
            hear(RemoteJob("1", "upload", state, "", progress, stage=stage))  # type: ignore[arg-type]  # literals
            shown.append((bar._progress.tasks[0].description, bar.done))
    assert shown == [("rooms.ttl: waiting", 0.0), ("rooms.ttl: reasoning, 5%", 0.05)]


def test_the_environment_has_the_token(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = project / "kaicep.toml"
    digest = sha256(TOKEN.encode()).hexdigest()
    file.write_text(f'{file.read_text()}[server.tokens]\ndesk = {{ token = "sha256:{digest}", role = "read" }}\n')
    with serving(Settings.load(project)) as url:
        refused = call("queries", "--server", url)
        assert (refused.exit_code, "token" in refused.stderr) == (1, True)
        monkeypatch.setenv("KAICEP_TOKEN", TOKEN)
        allowed = call("queries", "--server", url)
        assert (allowed.exit_code, json.loads(allowed.stdout)["query"]) == (0, "high")
        assert call("withdraw", "high", "--server", url).exit_code == 1, "it may read alone"


def test_a_project_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KAICEP_SERVER", "http://127.0.0.1:9")
    assert server_of(None, tmp_path) is None
    assert server_of(None, None) is not None
    with pytest.raises(typer.BadParameter, match="is named beside the project"):
        server_of("http://127.0.0.1:9", None, tmp_path)
    monkeypatch.delenv("KAICEP_SERVER")
    assert server_of(None, None) is None


def test_what_is_missing_is_told() -> None:
    for words in (
        ("sparql", "ASK {}"),
        ("ontology", "add", "x.ttl"),
        ("ontology", "remove", "x"),
        ("explain", "SELECT ?e.a"),
        ("try", "SELECT ?e.a"),
        ("queries",),
    ):
        done = call(*words)
        assert done.exit_code == 2
        assert "issing" in done.stderr
    assert call("try", "SELECT ?e.a", "--server", "http://127.0.0.1:9").exit_code == 2
