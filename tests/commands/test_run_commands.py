"""Commands that start Spark."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest
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
    drop(project, "4.jsonl", line(8, 90.0) + line(9, 10.0))
    assert _run_until_stopped(project, signal.SIGTERM, line(10, 95.0) + line(11, 10.0)) == (143, [90.0, 95.0])

    query = "SELECT (COUNT(?e) AS ?n) { ?e a ex:Reading ; ex:flow ?flow }"
    asked = subprocess.run(kaicep("sparql", query, "-p", project), capture_output=True, text=True, check=False)
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, '{"n": 11}\n', "")


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


def test_serve_beyond_this_machine_demands_tokens(project: Path) -> None:
    result = call("serve", project, "--host", "0.0.0.0", "--no-engine")  # noqa: S104 - it is refused
    assert result.exit_code == 1
    assert "server.host: whoever reaches 0.0.0.0 could do anything: add [server.tokens]" in result.stderr


def test_serve_says_what_is_not_installed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    result = call("serve", project)
    assert (result.exit_code, result.stderr) == (1, 'the server is not installed: pip install "kaicep[serve]"\n')
