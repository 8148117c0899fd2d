"""Of an upload whose server is killed, or that nobody waits for, nothing is half-written, and who asks hears of it.

Over a real socket: the server is a process of its own, and so is the command line.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from kaicep import Project
from kaicep.config import Settings
from kaicep.pipeline.control import KnowledgeAdmin
from kaicep.pipeline.durability import CheckpointedFlow
from support.command_line import HANGING_SECONDS, kaicep, wait_for, write_project
from support.ontologies import slow_module
from support.servers import Answer, ask, finished

SLOW, SHORT = slow_module(), slow_module(chains=1)
TURTLE = {"Content_Type": "text/turtle", "Prefer": "respond-async"}
GRAPH = "/graphs?graph=urn:slow"
SIGN = "kaicep answers at "


@contextmanager
def server(project: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server without an engine: its address, and its process."""
    log = project / "server.log"
    with log.open("w") as file:
        running = subprocess.Popen(kaicep("serve", project, "--no-engine"), stdout=file, stderr=file)
        try:
            wait_for(lambda: SIGN in log.read_text())
            lines = log.read_text().splitlines()
            yield next(line.removeprefix(SIGN) for line in lines if line.startswith(SIGN)), running
        finally:
            running.terminate()
            running.wait(HANGING_SECONDS)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With a dataset, and closures that nothing is found of."""
    monkeypatch.setenv("KAICEP_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    write_project(folder)
    with (folder / "kaicep.toml").open("a") as file:
        file.write("[server]\nport = 0\n[server.datasets]\nnotes = { update = true }\n")
    return folder


def begun(url: str, at: Callable[[Any], bool], path: str = GRAPH, text: str = SLOW) -> Answer:
    """An upload that has come so far."""
    asked = ask(f"{url}{path}", "PUT", text, **TURTLE)
    assert asked.status == 202
    wait_for(lambda: at(ask(f"{url}{asked.headers['location']}").json))
    return asked


def reasons(job: Any) -> bool:
    return bool(job["stage"] == "reasoning")


def come_to(stage: str, job: Any) -> bool:
    """Whether it is there, or behind it already."""
    return bool(job["stage"] == stage or job["state"] == "done")


def modules(url: str) -> list[Any]:
    return [(one["module"], one["triples"]) for one in ask(f"{url}/graphs").json]


@pytest.mark.long
def test_progress_moves_on_from_nothing_to_the_end(project: Path) -> None:
    """It is never less than before, and whole only when it is done; each stage is called by its name."""
    told: list[Any] = []

    def over() -> bool:
        told.append(ask(f"{url}{asked.headers['location']}").json)
        return bool(told[-1]["state"] == "done")

    with server(project) as (url, _):
        asked = ask(f"{url}{GRAPH}", "PUT", SLOW, **TURTLE)
        wait_for(over)
        assert modules(url) == [("urn:slow", 3_001)]
    shares = [one["progress"] for one in told if one["progress"] is not None]
    assert (shares, shares[-1]) == (sorted(shares), 1.0)
    assert all(share < 1.0 for share, one in zip(shares, told[-len(shares) :], strict=True) if one["state"] != "done")
    order = ["parsing", "reasoning", "contradictions", "keeping", "comparing", "writing"]
    stages = list(dict.fromkeys(one["stage"] for one in told if one["stage"] is not None))
    assert stages == [stage for stage in order if stage in stages]
    assert "reasoning" in stages
    assert {one["about"] for one in told} == {"urn:slow"}


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_of_a_server_that_ends_amid_an_upload_nothing_is_left(project: Path, how: signal.Signals) -> None:
    """Who asks the next one for the job hears when that has begun; what is uploaded again is taken."""
    with server(project) as (url, running):
        asked = begun(url, reasons)
        running.send_signal(how)
        running.wait(HANGING_SECONDS)
    with server(project) as (url, _):
        assert modules(url) == []
        unknown = ask(f"{url}{asked.headers['location']}")
        assert (unknown.status, unknown.media_type) == (404, "application/problem+json")
        assert "and this server, which began at " in unknown.json["hint"]
        assert ask(f"{url}/jobs").json == []
        again = ask(f"{url}{GRAPH}", "PUT", SHORT, **TURTLE)
        assert finished(url, again)["state"] == "done"
        assert modules(url) == [("urn:slow", 151)]
    assert [one.source for one in Project.load(project).knowledge.modules] == ["urn:slow"]


@pytest.mark.long
def test_a_dataset_is_written_as_a_whole_or_not_at_all(project: Path) -> None:
    """Its server is killed amid the parsing, and when it begins to write."""
    path = "/datasets/notes/graphs?graph=urn:g"
    text = "".join(f"<urn:s{n}> <urn:p> <urn:o{n}> .\n" for n in range(100_000))
    for at in ("parsing", "writing"):
        with server(project) as (url, running):
            begun(url, partial(come_to, at), path, text)
            running.kill()
            running.wait(HANGING_SECONDS)
        with server(project) as (url, _):
            wait_for(lambda: ask(f"{url}/datasets/notes/graphs").status == 200)  # the process before has ended
            found = ask(f"{url}/datasets/notes/graphs").json
            assert found in ([], [{"graph": "urn:g", "triples": 100_000}])
            ask(f"{url}{path}", "DELETE")


@pytest.mark.long
def test_ctrl_c_cancels_the_job_at_the_server(project: Path) -> None:
    """The command ends as such commands do, and says what has become of the job."""
    (project / "slow.ttl").write_text(SLOW)
    with server(project) as (url, _):
        words = kaicep("ontology", "add", project / "slow.ttl", "--server", url)
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as asking:
            wait_for(lambda: any(map(reasons, ask(f"{url}/jobs").json)))
            asking.send_signal(signal.SIGINT)
            _, said = asking.communicate(timeout=HANGING_SECONDS)
        assert (asking.returncode, said.splitlines()[-1]) == (
            130,
            "it was cancelled at the server: nothing has changed there",
        )
        (job,) = ask(f"{url}/jobs").json
        assert (job["kind"], job["state"]) == ("upload", "cancelled")
        assert modules(url) == []


@pytest.mark.long
def test_whoever_goes_away_finds_the_job_again(project: Path) -> None:
    """As a page that was closed: another client lists it, and hears of it."""
    with server(project) as (url, _):
        begun(url, reasons)
        listed = (
            "import sys; from kaicep import Client; client = Client(sys.argv[1]); (job,) = client.jobs(); "
            "print(job.kind, job.about, client.finish(job.id)['new'])"
        )
        found = subprocess.run([sys.executable, "-c", listed, url], capture_output=True, text=True, check=True)
        assert found.stdout == "upload urn:slow True\n"


@contextmanager
def engine(project: Path, log: list[str]) -> Iterator[None]:
    """The part of an engine that changes knowledge, in this process."""
    loaded = Project.load(project)
    flow = CheckpointedFlow(loaded, loaded.settings.path(loaded.settings.engine.state), [], None, lambda *_: None)
    ontology = KnowledgeAdmin(flow, log.append)
    try:
        yield
    finally:
        ontology.close()
        flow.close()


@pytest.mark.long
def test_an_engine_does_not_what_nobody_waits_for(project: Path) -> None:
    """It hears that the server was killed, or the job cancelled, and ends the process that reasons for it."""
    refused, log = "ontology: refused: nobody waits for it any more: nothing has changed", list[str]()
    (project / "kaicep.toml").write_text((project / "kaicep.toml").read_text() + "[archive]\nenabled = false\n")
    with engine(project, log):
        with server(project) as (url, running):
            cancelled = begun(url, reasons)
            assert ask(f"{url}{cancelled.headers['location']}", "DELETE").status == 204
            wait_for(lambda: log == [refused])
            begun(url, reasons)
            running.kill()
            wait_for(lambda: log == 2 * [refused])
        with server(project) as (url, _):
            assert modules(url) == []
            again = ask(f"{url}{GRAPH}", "PUT", SHORT, **TURTLE)
            assert finished(url, again)["state"] == "done"
            assert modules(url) == [("urn:slow", 151)]
    requests = Settings.load(project).path("var/state") / "ontology" / "requests"
    assert list(requests.iterdir()) == []
