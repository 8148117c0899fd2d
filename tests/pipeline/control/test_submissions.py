"""Queries that another process submits: taken over at a batch border, kept over restarts, withdrawn."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from kaicep import Client, Engine, KaicepError, PipelineError, Project
from kaicep.api.clients.submission_client import list_queries, park, resume, submit, withdraw
from kaicep.pipeline.control.submissions import Submissions
from kaicep.pipeline.durability.progress import Progress
from kaicep.pipeline.flow.queries.registration import Withdrawal
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from support.command_line import wait_for
from support.servers import serving

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HIGH = "SELECT ?e.sensor, ?e.flow WITHIN (, ) FILTER (?e.flow > 70)"
NAMED = "CREATE QUERY high AS SELECT ?e.sensor, ?e.flow FILTER (?e.flow > 70)"
READER = "SELECT COUNT(?h) AS n FROM (?h, high) WINDOW (?h, sliding, 1min)"
CLOSED = "SELECT ?e.sensor WITHIN (2026-01-01, 2026-01-01T00:00:02Z] FILTER (?e.flow > 70)"


def project(folder: Path, **tables: object) -> Project:
    stream = {
        "event_type": "<urn:Report>",
        "time": {"attribute": "at"},
        "identity": ["sensor", "at"],
        "source": {"format": "json", "path": "in"},
        "attributes": {"sensor": {"datatype": "xsd:string"}, "flow": {"datatype": "xsd:double"}},
    }
    return Project.parse({"streams": {"air": stream}, "engine": {"trigger": "0s"}, **tables}, root=folder)


def drop(folder: Path, *seconds: int) -> None:
    """A file of reports, one of each of these seconds; the sensor's name is the second."""
    (folder / "in").mkdir(exist_ok=True)
    lines = [{"sensor": str(s), "at": f"2026-01-01T00:00:{s:02d}Z", "flow": 60.0 + 20 * (s % 2)} for s in seconds]
    part = folder / "part"
    part.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    part.replace(folder / "in" / f"{seconds[0]:04d}.json")


def test_withdrawn_queries_are_listed_while_their_changes_count(tmp_path: Path) -> None:
    declared = "CREATE CONTEXTS road (clear DEFAULT, jam)"
    (one,) = project(tmp_path).registrations(f"{declared}; INITIATE CONTEXT jam FROM (?e, air)", "any")
    gone = replace(one, label="gone", withdrawal=Withdrawal(one.label, 4, None, 0))
    parts = {"handles": (), "brought": (), "parked": (), "progress": Progress()}
    host: Any = SimpleNamespace(project=project(tmp_path), withdrawn=[gone], **parts)
    submissions = Submissions(host, print)
    expected = {"query": one.label, "state": "withdrawn", "matches": None, "from": None, "now": None, "parked": None}
    assert submissions._listed() == [expected]
    submissions.close()


def until(holds: Callable[[], bool], engine: Engine) -> None:
    def checked() -> bool:
        engine.check()
        return holds()

    wait_for(checked)


def rows_of(out: Path, query: str) -> list[str]:
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return [row["sensor"] for row in found if row["_query"] == query]


def refusal(ask: Callable[[], Any]) -> str:
    with pytest.raises(KaicepError) as refused:
        ask()
    return str(refused.value)


def test_a_submitted_query_may_read_a_query_of_the_project_that_does_not_run(tmp_path: Path) -> None:
    """As where the engine was started with some of them alone. It is answered as long as it is read."""
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "high.chi").write_text(NAMED)
    (tmp_path / "queries" / "higher.chi").write_text(
        "CREATE QUERY higher AS SELECT ?h.flow FROM (?h, high) FILTER (?h.flow > 75)"
    )
    given, said = project(tmp_path, queries={"files": ["queries/*.chi"]}), list[str]()
    with Engine(given, on_notice=said.append) as engine:
        assert engine._submissions is not None
        engine._submissions.begin()
        (told,) = submit(given.settings, READER.replace("high", "higher"), "count.chi", None)
        assert told.startswith("count: answered from the next batch on")
        assert [handle.name for handle in engine.handles] == ["high", "higher", "count"]
        assert said[:2] == [
            f"queries: {name} of the project is answered too, for those that read it" for name in ("high", "higher")
        ]
        submit(given.settings, READER, "other.chi", None)
        assert [(row["query"], row["from"]) for row in list_queries(given.settings)[0]] == [
            ("high", "read"), ("higher", "read"), ("count", "submitted"), ("other", "submitted"),
        ]  # fmt: skip
        assert refusal(lambda: submit(given.settings, READER.replace("high", "highest"), None, None)).startswith(
            "query-1:1:33: unknown stream 'highest'"
        )
        withdraw(given.settings, "count")
        assert [handle.name for handle in engine.handles] == ["high", "other"]
        rule = "CREATE RULE warn ON high DO EMIT odd(?row.flow AS flow)"
        assert submit(given.settings, rule, None, None) == ["warn: acts from the next batch on"]
        withdraw(given.settings, "warn")
    with Engine(given) as engine:
        assert engine._submissions is not None
        engine._submissions.begin()
        assert [handle.name for handle in engine.handles] == ["high", "other"]
        withdraw(given.settings, "other")
        assert engine.handles == ()


def test_a_running_engine_parks_queries_for_other_processes(tmp_path: Path) -> None:
    """What is wrong is told at once."""
    given, said = project(tmp_path, archive={"enabled": False}), list[str]()
    settings = given.settings
    with Engine(given, on_notice=said.append) as engine:
        assert engine._submissions is not None
        engine._submissions.begin()
        submit(settings, NAMED, None, None)
        warned, told = park(settings, "high", "Ada")
        assert warned.startswith("warning: there is no archive of what it misses")
        assert told == "high: parked from the next batch on, with what reads it, until it is resumed"
        assert refusal(lambda: park(settings, "high")) == "'high' is parked already: kaicep resume high lets it go on"
        assert refusal(lambda: park(settings, "hgh")) == "no query 'hgh' is registered: did you mean 'high'?"
        again = "high: goes on with what it has missed, from the next batch on"
        assert resume(settings, "high") == [again]
        assert refusal(lambda: resume(settings, "high")) == "'high' is not parked: parked: none"


@pytest.mark.spark
def test_a_query_is_parked_and_resumed_over_http_and_has_all_its_rows(tmp_path: Path, spark: SparkSession) -> None:
    """Of an engine that runs, over a restart; the rows are those of the project over the same events."""
    given, out = project(tmp_path, archive={"enabled": True, "store": False}), tmp_path / "rows.jsonl"

    def engine() -> Engine:
        return Engine(given, spark=spark, sinks=[JsonLinesSink(out)])

    drop(tmp_path, 1, 2, 3)
    with serving(given.settings) as url:
        client = Client(url)
        with engine() as first:
            first.start()
            until(lambda: first.progress.records == 3, first)
            client.submit(NAMED)
            drop(tmp_path, 5, 6, 7, 8)
            until(lambda: rows_of(out, "high") == ["5", "7"], first)
            client.park("high")
            until(lambda: client.query("high").state == "parked", first)
            assert "'high' was parked on request" in str(client.query("high").reason)
            drop(tmp_path, 11, 12, 13, 14)
            until(lambda: first.progress.records == 11, first)
            with pytest.raises(PipelineError, match="'high' is parked already"):
                client.park("high")
        with engine() as second:
            second.start()
            drop(tmp_path, 15, 16)
            until(lambda: second.progress.records == 13, second)
            assert rows_of(out, "high") == ["5", "7"]
            assert client.resume("high") == ("high: goes on with what it has missed, from the next batch on",)
            until(lambda: client.query("high").state == "running", second)
            drop(tmp_path, 17, 18)
            until(lambda: "17" in rows_of(out, "high"), second)
    events = [json.loads(line) for file in sorted((tmp_path / "in").iterdir()) for line in file.open()]
    expected = [row["sensor"] for row in given.evaluate(NAMED, {"air": events}) if int(row["sensor"]) > 3]
    assert rows_of(out, "high") == expected == ["5", "7", "11", "13", "15", "17"]


@pytest.mark.spark
def test_a_running_engine_takes_queries_of_other_processes(tmp_path: Path, spark: SparkSession) -> None:
    """The past beside the live stream, rows in order; listed, withdrawn, refused; registered over a restart."""
    given, out, said = project(tmp_path), tmp_path / "rows.jsonl", list[str]()
    settings = given.settings
    drop(tmp_path, 1, 2, 3)
    with Engine(given, spark=spark, sinks=[JsonLinesSink(out)], on_notice=said.append) as engine:
        engine.start()
        until(lambda: engine.progress.records == 3, engine)
        answered = "answered from the next batch on, its rows go where the engine's go"
        assert submit(settings, HIGH, "past.chi", None) == [f"past: {answered}"]
        assert submit(settings, CLOSED, None, None) == [f"query-1: {answered}"]
        drop(tmp_path, 4, 5, 6)
        until(lambda: rows_of(out, "past") == ["1", "3", "5"], engine)
        until(lambda: "queries: query-1 has ended: WITHIN has passed: from 2026-01-01T00:00:00Z" in said[-1], engine)
        assert rows_of(out, "query-1") == ["1"]
        rows, _ = list_queries(settings)
        assert [(row["query"], row["state"], row["matches"], row["from"]) for row in rows] == [
            ("past", "running", 3, "submitted"),
            ("query-1", "ended", 1, "submitted"),
        ]
        assert refusal(lambda: submit(settings, "SELECT ?e.flwo FILTER (?e.flow > 1)", "bad", None)) == (
            "bad:1:11: unknown attribute 'flwo' of stream 'air'\n"
            "  1 | SELECT ?e.flwo FILTER (?e.flow > 1)\n"
            "    |           ^^^^ did you mean 'flow'?"
        )
        assert refusal(lambda: submit(settings, HIGH, "past", None)) == (
            "a query named 'past' is registered already: stop it first, or give the new one another name with "
            "CREATE QUERY … AS"
        )
        assert withdraw(settings, "query-1") == ["query-1: withdrawn"]
        assert refusal(lambda: withdraw(settings, "past2")) == ("no query 'past2' was submitted: did you mean 'past'?")
    assert said[:2] == ["queries: past was submitted", "queries: query-1 was submitted"]
    drop(tmp_path, 7, 8)
    with Engine(given, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        engine.run_available()
        assert [handle.name for handle in engine.handles] == ["past"]
        engine.finish()
    assert rows_of(out, "past") == ["1", "3", "5", "7"]


def test_without_an_engine_queries_wait_for_the_next_start(tmp_path: Path) -> None:
    settings = project(tmp_path).settings
    waits = "registered, it is answered when an engine starts"
    assert submit(settings, f"{NAMED}; {READER}", "both.chi", None) == [f"high: {waits}", f"both: {waits}"]
    assert submit(settings, READER, None, None) == [f"query-1: {waits}"]
    rows, said = list_queries(settings)
    assert [(row["query"], row["state"]) for row in rows] == [
        ("high", "waits"),
        ("both", "waits"),
        ("query-1", "waits"),
    ]
    assert said == ["no engine runs; these, and those of the project, are answered when one starts"]
    assert refusal(lambda: withdraw(settings, "high")) == "'high' is read by both, query-1: withdraw the readers first"
    assert refusal(lambda: submit(settings, HIGH, "high.chi", None)) == (
        "a query named 'high' is registered already: withdraw it first, or give the new one another name with "
        "CREATE QUERY … AS"
    )
    withdraw(settings, "query-1")
    withdraw(settings, "both")
    withdraw(settings, "high")
    assert list_queries(settings)[0] == []
    assert refusal(lambda: withdraw(settings, "high")) == "no query 'high' was submitted: submitted: none"


def test_a_refused_document_is_not_kept(tmp_path: Path) -> None:
    settings = project(tmp_path).settings
    assert refusal(lambda: submit(settings, "SELECT", None, None)).startswith("query-1:1:7: ")
    assert list_queries(settings)[0] == []


def changed(folder: Path, attribute: str) -> Project:
    """The project after a change: its second attribute has this name."""
    stream = {
        "event_type": "<urn:Report>",
        "time": {"attribute": "at"},
        "source": {"format": "json", "path": "in"},
        "attributes": {"sensor": {"datatype": "xsd:string"}, attribute: {"datatype": "xsd:double"}},
    }
    return Project.parse({"streams": {"air": stream}}, root=folder)


def test_what_is_refused_since_an_upgrade_is_parked_and_the_engine_starts(tmp_path: Path) -> None:
    """With its reason, and with what reads it; others are answered."""
    settings, said = project(tmp_path).settings, list[str]()
    submit(settings, NAMED, None, None)
    submit(settings, READER, "count.chi", None)
    submit(settings, "SELECT ?e.sensor FILTER (?e.sensor = 'a')", "other.chi", None)
    with Engine(changed(tmp_path, "rate"), on_notice=said.append) as engine:
        assert engine._submissions is not None
        engine._submissions.begin()
        assert [handle.name for handle in engine.handles] == ["other"]
        reason = "refused since this start: unknown attribute 'flow' of stream 'air'"
        assert [(row["query"], row["state"], row["from"], row["parked"]) for row in list_queries(settings)[0]] == [
            ("other", "registered", "submitted", None),
            ("high", "parked", "submitted", reason),
            ("count", "parked", "submitted", reason),
        ]
        assert said[0].startswith("queries: high is parked; it was submitted earlier, and is refused now: ")
        assert engine.status.queries["high"].reason == reason
        assert refusal(lambda: resume(settings, "high")).startswith("query-1:1:")
        assert refusal(lambda: submit(settings, NAMED.replace("flow", "rate"), None, None)) == (
            "a query named 'high' is parked: kaicep withdraw high first, or give the new one another name with "
            "CREATE QUERY … AS"
        )
        withdraw(settings, "high")
        submit(settings, NAMED.replace("flow", "rate"), None, None)
        answered = "answered from the next batch on, as if it were submitted now"
        assert resume(settings, "count") == [f"count: {answered}"]
        assert [handle.name for handle in engine.handles] == ["other", "high", "count"]
        assert engine.refused == {}
    with Engine(changed(tmp_path, "rate")) as engine:
        assert engine._submissions is not None
        engine._submissions.begin()
        assert {row["query"]: row["from"] for row in list_queries(settings)[0]} == dict.fromkeys(
            ("other", "high", "count"), "submitted"
        )
        assert (engine.brought, engine.refused) == ((), {})


def test_without_an_engine_what_is_refused_is_in_nobody_s_way(tmp_path: Path) -> None:
    before, settings = project(tmp_path).settings, changed(tmp_path, "rate").settings
    submit(before, HIGH, "old.chi", None)
    assert refusal(lambda: submit(settings, HIGH.replace("flow", "rate"), "old.chi", None)).startswith(
        "a query named 'old' is registered already"
    )
    assert submit(settings, HIGH.replace("flow", "rate"), None, None)[0].startswith("query-1: registered")
    old, new = list_queries(settings)[0]
    assert (old["query"], old["state"], new["state"]) == ("old", "parked", "waits")
    assert old["parked"].startswith("refused: ")
    assert withdraw(settings, "old") == ["old: withdrawn"]


def test_a_document_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    settings = project(tmp_path).settings
    submit(settings, HIGH, None, None)
    documents = tmp_path / "var/state/queries/documents"
    (document,) = documents.glob("[!.]*")
    for mirror in documents.glob(".*"):
        mirror.unlink()
    document.write_text("{}")
    with pytest.raises(PipelineError) as refused:
        list_queries(settings)
    assert str(refused.value) == (f"{document}: a submitted query cannot be read: remove the file, and submit it again")
