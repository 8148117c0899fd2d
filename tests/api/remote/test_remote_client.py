"""A client gives what a server does, as values; errors are those of kaicep, with place and hint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice

import pytest
from kaicep import ArchiveError, Client, PipelineError, QueryTypeError
from kaicep.api.remote import RemoteJob, RemoteRows, RemoteSubmission
from kaicep.config import Settings
from kaicep.pipeline.monitoring import status_bytes, status_file
from support.archives import archived_project
from support.asked_engine import ASKED, stopped_engine
from support.command_line import write_project
from support.kept_rows import keep_rows
from support.servers import serving
from support.statuses import busy_engine

ATTRIBUTES = '[streams.airflowReport.attributes]\nflowrate = { datatype = "xsd:double" }\n'


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Two rows of a query, and an archive of 150 readings."""
    folder = tmp_path_factory.mktemp("remote")
    archived_project(folder)
    (folder / "high.chi").write_text("CREATE QUERY high AS SELECT ?e.flowrate AS flow FILTER (?e.flowrate > 50)")
    file = folder / "kaicep.toml"
    file.write_text('[queries]\nfiles = ["high.chi"]\n' + file.read_text() + ATTRIBUTES)
    found = Settings.load(folder)
    keep_rows(found, 7, 1, 2)
    return found


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[Client]:
    with serving(settings) as url:
        yield Client(url)


def test_queries_come_and_go(client: Client) -> None:
    assert client.submit("SELECT ?e.flowrate", label="all", retention="1h") == RemoteSubmission(("all",))
    assert [one.label for one in client.queries()] == ["high", "all"]
    assert (client.query("all").submitted, client.query("high").columns) == (True, ("flow",))
    assert client.explain_query("high").startswith("query high")
    assert client.explain("SELECT ?e.flowrate", form="mermaid").startswith("flowchart")
    client.withdraw("all")
    with pytest.raises(PipelineError, match="no query 'all' is registered"):
        client.withdraw("all")


def test_a_query_is_parked_and_resumed(client: Client) -> None:
    said = client.park("high")
    assert said[-1] == "high: parked when an engine starts, with what reads it, until it is resumed"
    found = client.query("high")
    assert (found.state, found.reason) == ("parked", "'high' was parked on request")
    with pytest.raises(PipelineError, match="'high' is parked already: kaicep resume high lets it go on"):
        client.park("high")
    with pytest.raises(PipelineError, match="no query 'hgh' is registered"):
        client.park("hgh")
    assert client.resume("high") == ("high: goes on with what it has missed when an engine starts",)
    assert client.query("high").state == "waits"
    with pytest.raises(PipelineError, match="'high' is not parked"):
        client.resume("high")


def test_what_is_wrong_is_raised_with_its_place(client: Client) -> None:
    with pytest.raises(QueryTypeError) as error:
        client.submit("SELECT ?e.flowrat")
    assert error.value.place is not None
    assert (error.value.place.line, error.value.place.column) == (1, 11)
    assert error.value.hint is not None
    with pytest.raises(PipelineError, match="'high' was not submitted"):
        client.withdraw("high")
    (problem,) = client.check("SELECT ?e.flowrat").problems
    assert (problem.line, problem.column) == (1, 11)
    assert client.check("SELECT ?e.flowrate").valid


def test_rows_of_the_past_and_as_they_come(settings: Settings, client: Client) -> None:
    page = client.matches("high", limit=1)
    assert [row["flow"] for row in page.rows] == [1.0]
    assert [row["flow"] for row in client.matches("high", after=page.next).rows] == [2.0]
    assert [row["flow"] for row in client.matches("high", last=1).rows] == [2.0]
    rows = client.rows("high", after=page.next)
    assert next(rows).row["flow"] == 2.0
    keep_rows(settings, 8, 3)
    assert next(rows).row["flow"] == 3.0
    assert [row.row["flow"] for row in islice(client.rows("high", after="0"), 3)] == [1.0, 2.0, 3.0]


def test_the_archive_is_asked_and_queries_are_tried_on_it(client: Client) -> None:
    assert client.sparql("SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }") == RemoteRows(("n",), ({"n": "150"},))
    assert client.sparql("ASK { ?e a e:AirflowReport }") is True
    triples = client.sparql("CONSTRUCT { ?e a e:Seen } WHERE { ?e a e:AirflowReport } LIMIT 1")
    assert isinstance(triples, str)
    assert "Seen" in triples
    with pytest.raises(ArchiveError, match="unknown prefix 'f:'") as error:
        client.sparql("SELECT * { ?s f:p ?o }")
    assert error.value.place is not None
    assert (error.value.place.line, error.value.place.column) == (1, 15)
    told: list[RemoteJob] = []
    found = client.try_query("SELECT ?e.flowrate AS flow FILTER (?e.flowrate > 74)", last="1h", told=told.append)
    assert (told[-1].kind, told[-1].state, told[-1].progress) == ("try", "done", 1.0)
    assert (found.count, [row["flow"] for row in found.rows]) == (1, [74.5])
    with pytest.raises(QueryTypeError):
        client.try_query("SELECT ?e.flowrat", last="1h")
    assert {job.state for job in client.jobs()} == {"done", "failed"}
    assert client.get("/vocabulary")["prefixes"]["e"] == "http://e/"


def test_events_are_posted(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = write_project(tmp_path_factory.mktemp("posted"))
    file = folder / "kaicep.toml"
    file.write_text(file.read_text().replace('path = "incoming/" }', 'path = "incoming/", cleanSource = "delete" }'))
    with serving(Settings.load(folder)) as url:
        client = Client(url)
        assert client.post_events("air", [{"sensor": "s1", "at": "2026-01-01T00:00:00Z", "flow": 1}]) == 1
        with pytest.raises(PipelineError, match="no engine has run this project"):
            client.status()
    (inbox,) = (folder / "incoming").glob("*.jsonl")
    assert json.loads(inbox.read_text())["flow"] == 1


def test_the_engine_of_a_server(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = Settings.load(write_project(tmp_path_factory.mktemp("engine")))
    engine = busy_engine(datetime.now(UTC))
    file = status_file(settings.path(settings.engine.state))
    file.parent.mkdir(parents=True)
    file.write_bytes(status_bytes(engine))
    with serving(settings) as url:
        found = Client(url).status()
    assert (found.state, found.records, found.streams) == ("killed", engine.records, engine.streams)


def test_states_are_asked(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings, expected = stopped_engine(tmp_path_factory.mktemp("asked"), ASKED[0])
    with serving(settings) as url:
        found = Client(url).ask(ASKED[0])
    assert found.columns == tuple(expected.columns)
    assert [row["id"] for row in found.rows] == [row["id"] for row in expected] != []
