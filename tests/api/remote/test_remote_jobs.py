"""Long work of a server is heard of until it has ended; who is interrupted cancels it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from kaicep import Client, PipelineError
from kaicep.api.remote import RemoteJob, RemoteRows
from kaicep.config import Settings
from kaicep.server.jobs.job_call import JobCall
from support.command_line import wait_for
from support.explained_match import explained_match
from support.servers import serving

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return explained_match(tmp_path_factory.mktemp("jobs"))


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[Client]:
    with serving(settings) as url:
        yield Client(url)


def interrupt(_: RemoteJob) -> NoReturn:
    """As by Ctrl-C."""
    raise KeyboardInterrupt


def test_what_may_take_long_is_a_job_for_who_hears_of_it(client: Client) -> None:
    """The answers are those of who waits."""
    told: list[RemoteJob] = []
    assert client.chart("high", told=told.append) == client.chart("high")
    assert client.sparql(COUNT, told=told.append) == client.sparql(COUNT) == RemoteRows(("n",), ({"n": "150"},))
    assert [(one.kind, one.about) for one in told if one.state == "done"] == [
        ("chart", "high"),
        ("sparql", COUNT),
    ]
    assert all(one.progress is None or 0 <= one.progress <= 1 for one in told)


def test_who_is_interrupted_cancels_it(client: Client) -> None:
    with pytest.raises(KeyboardInterrupt) as stop:
        client.sparql(ENDLESS, told=interrupt)
    assert stop.value.__notes__ == ["it was cancelled at the server: nothing has changed there"]
    assert client.jobs()[0].state == "cancelled"


def test_but_what_has_begun_to_change_something_goes_on(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JobCall, "cancel", lambda _: False)
    (tmp_path / "more.ttl").write_text("<urn:a> <urn:b> <urn:c> .")
    with pytest.raises(KeyboardInterrupt) as stop:
        client.add_ontology(tmp_path / "more.ttl", told=interrupt)
    job = client.jobs()[0]
    (note,) = stop.value.__notes__
    assert note.startswith(f"the job {job.id} goes on: a change that has begun is finished")
    assert client.finish(job.id)["new"]
    monkeypatch.undo()
    removed: list[RemoteJob] = []
    client.remove_ontology("more.ttl", told=removed.append)
    assert (removed[-1].kind, removed[-1].state) == ("removal", "done")


def test_a_job_is_found_again_and_cancelled_by_its_id(client: Client) -> None:
    job = client._connection.request("GET", "/sparql", headers={"Prefer": "respond-async"}, query={"query": ENDLESS})
    name = job.headers["Location"].rpartition("/")[2]
    wait_for(lambda: client.job(name).stage == "answering")
    client.cancel(name)
    with pytest.raises(PipelineError, match="it was cancelled"):
        client.finish(name)
    client.cancel(name)
    with pytest.raises(PipelineError, match=f"there is no job '{name}'"):
        client.finish(name)
