"""Commands that start Spark."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import IO
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from kaicep.api.clients import engine_lives
from kaicep.config import Settings
from support.command_line import call, drop, kaicep, line, wait_for


@pytest.mark.spark
def test_run_reports_what_is_there_stops_cleanly_and_goes_on(project: Path) -> None:
    """Each match is reported once, whoever stops; bad records go aside; the archive answers SPARQL.

    The last event of each file only moves the watermark past the match before it.
    """
    drop(project, "1.jsonl", line(1, 40.0) + line(2, 60.5) + line(3, 10.0) + "{\n")
    once = subprocess.run(kaicep("run", project, "--once"), capture_output=True, text=True, check=False)
    assert once.returncode == 0, once.stderr
    assert [json.loads(text)["flow"] for text in once.stdout.splitlines()] == [60.5]
    assert "1 malformed (in the dead letters)" in once.stderr
    assert "wait for later events" not in once.stderr  # the last event is no match
    assert "Traceback" not in once.stderr

    drop(project, "2.jsonl", line(4, 70.0) + line(5, 10.0))
    assert _run_until_stopped(project, signal.SIGINT, line(6, 80.0) + line(7, 10.0)) == (130, [70.0, 80.0])

    query = "SELECT (COUNT(?e) AS ?n) { ?e a ex:Reading ; ex:flow ?flow }"
    asked = subprocess.run(kaicep("sparql", query, "-p", project), capture_output=True, text=True, check=False)
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, '{"n": 7}\n', "")


@pytest.mark.long
@pytest.mark.spark
def test_a_service_manager_stops_it_as_well(project: Path) -> None:
    drop(project, "1.jsonl", line(1, 90.0) + line(2, 10.0))
    assert _run_until_stopped(project, signal.SIGTERM, line(3, 95.0) + line(4, 10.0)) == (143, [90.0, 95.0])


@pytest.mark.long
@pytest.mark.spark
def test_rows_of_the_newest_time_stamp_wait_and_finish_reports_them(project: Path) -> None:
    """Each once in the file, whatever comes after: an end is taken back when there is more to read."""
    out = project / "out.jsonl"

    def run(option: str) -> tuple[list[float], str]:
        words = kaicep("run", project, option, "--out", out)
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return [json.loads(text)["flow"] for text in out.read_text().splitlines()], done.stderr

    drop(project, "1.jsonl", line(1, 60.0) + line(2, 70.0))
    found, told = run("--once")
    assert (found, "  high: 1 matches; 1 more wait for later events\n" in told) == ([60.0], True)
    assert run("--finish")[0] == [60.0, 70.0]
    assert run("--finish")[0] == [60.0, 70.0]
    drop(project, "2.jsonl", line(2, 75.0, "s2") + line(3, 80.0))
    assert run("--once")[0] == [60.0, 70.0, 75.0]
    assert run("--finish")[0] == [60.0, 70.0, 75.0, 80.0]


def _run_until_stopped(project: Path, asks_to_stop: signal.Signals, more: str) -> tuple[int, list[float]]:
    """Run until the one match that is there and the one of `more` are reported, then stop; exit code and matches."""
    out = project / f"{asks_to_stop.name}.jsonl"
    with subprocess.Popen(kaicep("run", project, "--out", out, "--quiet"), stderr=subprocess.PIPE) as running:
        try:
            wait_for(lambda: out.exists() and out.stat().st_size > 0)
            drop(project, f"{asks_to_stop.name}-more.jsonl", more)
            wait_for(lambda: len(out.read_text().splitlines()) == 2)
            running.send_signal(asks_to_stop)
            _, errors = running.communicate(timeout=600)
        finally:
            running.kill()
    assert errors == b""
    return running.returncode, [json.loads(text)["flow"] for text in out.read_text().splitlines()]


def test_run_refuses_a_wrong_query_before_anything_starts(project: Path) -> None:
    (project / "queries" / "wrong.chi").write_text("SELECT ?e.flw")
    result = call("run", project, "--once")
    assert result.exit_code == 1
    assert "wrong.chi:1:11: unknown attribute 'flw' of stream 'air'" in result.stderr
    assert "starting Spark" not in result.stderr
    assert not (project / "var").exists()


def test_serve_answers_until_it_is_told_to_end(project: Path) -> None:
    words = kaicep("serve", project, "--port", "0", "--no-engine")
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        said = running.stderr.readline()
        url = said.removeprefix("kaicep answers at ").strip()
        try:
            with urlopen(f"{url}/health") as answer:  # noqa: S310 - our own server
                assert json.load(answer) == {"healthy": True}
            running.send_signal(signal.SIGTERM)
            assert running.wait() == 143
            assert running.stderr.read() == ""
        finally:
            running.kill()


def test_a_server_logs_what_becomes_of_its_streams(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its engine tells no progress, but a broker that is away, and streams that wait."""
    begun: list[list[str]] = []
    monkeypatch.setattr("kaicep.server.serve", lambda _settings, command, _tell: begun.append(command))
    assert call("serve", project).exit_code == 0
    assert begun[0][-3:] == [str(project), "--quiet", "--notices"]


def test_serve_beyond_this_machine_demands_tokens(project: Path) -> None:
    result = call("serve", project, "--host", "0.0.0.0", "--no-engine")  # noqa: S104 - it is refused
    assert result.exit_code == 1
    assert "server.host: whoever reaches 0.0.0.0 could do anything: add [server.tokens]" in result.stderr


def test_serve_says_what_is_not_installed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    result = call("serve", project)
    assert (result.exit_code, result.stderr) == (1, 'the server is not installed: pip install "kaicep[serve]"\n')


@pytest.mark.spark
@pytest.mark.long
def test_serve_loses_nothing_whoever_is_killed(project: Path) -> None:
    """First the server, whose engine goes on; then that engine, which the next server begins again."""
    file = project / "kaicep.toml"
    file.write_text(file.read_text().replace('path = "incoming/"', 'path = "incoming/", cleanSource = "delete"'))
    rows = project / "rows.jsonl"
    with rows.open("w") as out:
        first, url = _served(project, out)
        _post(url, line(1, 60.0) + line(2, 10.0))
        _post(url, line(1, 60.0) + line(2, 10.0))  # as if it had not been acknowledged
        first.kill()
        first.wait()
        second, url = _served(project, out)
        try:
            _post(url, line(3, 70.0))
            with urlopen(f"{url}/status") as answer:  # noqa: S310 - our own server
                os.kill(json.load(answer)["process"], signal.SIGKILL)
            _post(url, line(4, 80.0) + line(5, 10.0))
            query = quote("SELECT (COUNT(?e) AS ?n) { ?e a ex:Reading }")
            wait_for(lambda: b'"value":"5"' in _read(f"{url}/sparql?query={query}"))
            wait_for(lambda: {row["flow"] for row in map(json.loads, rows.read_text().splitlines())} == {60, 70, 80})
            second.send_signal(signal.SIGTERM)
            assert second.wait() == 143
        finally:
            second.kill()
    found = [json.loads(text) for text in rows.read_text().splitlines()]
    assert len({row["_id"] for row in found}) == 3
    assert not engine_lives(Settings.load(project))


def _served(project: Path, out: IO[str]) -> tuple[subprocess.Popen[str], str]:
    """A server that is ready, and its address."""
    words = kaicep("serve", project, "--port", "0")
    running = subprocess.Popen(words, stdout=out, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    url = running.stderr.readline().removeprefix("kaicep answers at ").strip()
    wait_for(lambda: b'"ready":true' in _read(f"{url}/ready"))
    return running, url


def _post(url: str, lines: str) -> None:
    headers = {"Content-Type": "application/x-ndjson"}
    with urlopen(Request(f"{url}/streams/air/events", lines.encode(), headers)) as answer:  # noqa: S310 - our own server
        assert answer.status == 202


def _read(url: str) -> bytes:
    try:
        with urlopen(url) as answer:  # noqa: S310 - our own server
            found: bytes = answer.read()
            return found
    except HTTPError as error:
        return error.read()
