"""The sinks of a project, in a real engine without Spark: each gets its rows once, and who is away holds up nobody."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from kaicep import Engine, Project
from kaicep.config import Settings
from kaicep.errors import ConfigError
from kaicep.pipeline.sinks.outgoing import check_sink
from kaicep.settings import SourceSettings
from support.brokers import free_port, listener, mosquitto
from support.kafka import mock_kafka
from support.living import batch, project
from support.receivers import eventually, web_receiver
from support.servers import ask, serving

QUERIES = (
    "CREATE QUERY full AS SELECT ?e.sensor AS sensor FROM (?e, air) FILTER (?e.flow > 1);"
    "CREATE QUERY empty AS SELECT ?e.sensor AS sensor FROM (?e, air) FILTER (?e.flow <= 1)"
)
PATIENCE = {"backoff": "20ms", "backoff_limit": "100ms"}


def given(folder: Path, broker: str, url: str) -> Project:
    kinds: dict[str, dict[str, Any]] = {
        "board": {"mqtt": {"broker": broker, "topic": "rows/{query}/{sensor}"}, "queries": ["full"]},
        "post": {"webhook": {"url": url}},
        "base": {"sql": {"url": "sqlite:///rows.db"}},
        "lines": {"jsonl": "rows/all.jsonl"},
        "files": {"parquet": "rows", "queries": ["full"]},
    }
    return project(folder, sinks={name: {**kind, **PATIENCE} for name, kind in kinds.items()})


def in_base(folder: Path, query: str) -> list[str]:
    with sqlite3.connect(folder / "rows.db") as connection:
        return [sensor for (sensor,) in connection.execute(f"SELECT sensor FROM {query} ORDER BY _time, _id")]


def all_are_out(engine: Engine) -> bool:
    return all(action.waiting == 0 for action in engine.status.actions.values())


def test_each_sink_gets_its_rows_once_and_nobody_waits_for_another(tmp_path: Path) -> None:
    """The broker comes when the engine has ended and begun again: its rows have waited, in order."""
    port = free_port()
    with web_receiver() as receiver:
        of = given(tmp_path, f"127.0.0.1:{port}", receiver.url)
        with Engine(of) as engine:
            assert engine._actions is not None
            calls = engine._actions.calls
            engine.submit(QUERIES)
            engine._flow.run(1, batch(1, ["s1", "s2"], flow=5.0))
            engine._flow.run(2, batch(2, ["s3"], flow=0.5))
            assert eventually(lambda: len(receiver.requests) >= 3)
            assert eventually(lambda: (tmp_path / "rows.db").exists() and calls.counts()["sinks.base"].waiting == 0)
            counts = calls.counts()["sinks.board"]
            assert counts.sent == 0
            assert counts.waiting > 0
            away = "the broker cannot be reached: Connection refused"
            assert eventually(lambda: calls.counts()["sinks.board"].reason == away)
            status = engine.status.actions["sinks.board"]
            assert status.waiting == counts.waiting
        with mosquitto(tmp_path, port) as broker, listener(broker, "rows/#") as heard:
            with Engine(of) as engine:
                engine.submit(QUERIES)
                engine._flow.run(3, batch(3, ["s1"], flow=5.0))
                engine.finish()
                full = engine.progress.matches["full"]
                assert eventually(lambda: len(heard) >= full)
            assert eventually(lambda: len(in_base(tmp_path, "full")) == full)
    assert [topic for topic, _ in heard][:2] == ["rows/full/s1", "rows/full/s2"]
    assert len({row["_id"] for _, row in heard}) == len(heard) == full
    assert {row["_query"] for _, row in heard} == {"full"}
    posted = [json.loads(request.body)["_id"] for request in receiver.requests]
    assert len(posted) == len(set(posted))
    assert in_base(tmp_path, "empty")
    lines = [json.loads(line) for line in (tmp_path / "rows/all.jsonl").read_text().splitlines()]
    assert [row["sensor"] for row in lines if row["_query"] == "empty"] == in_base(tmp_path, "empty")
    in_files = pq.read_table(tmp_path / "rows/full").to_pylist()
    assert [row["_id"] for row in in_files] == [row["_id"] for row in lines if row["_query"] == "full"]
    assert not (tmp_path / "rows/empty").exists()


def test_brokers_that_are_away_get_each_row_once_and_in_order(tmp_path: Path) -> None:
    """The rows have waited while a file had them; each query's go to a topic of its own."""
    with mock_kafka(rows_full=1, rows_empty=1) as kafka:
        topics = {"servers": kafka.servers, "topic": "rows_{query}", "key": "{sensor}"}
        sinks = {"topics": {"kafka": topics, **PATIENCE}, "lines": {"jsonl": "{query}.jsonl"}}
        of = project(tmp_path, sinks=sinks)
        kafka.down()
        with Engine(of) as engine:
            engine.submit(QUERIES)
            engine._flow.run(1, batch(1, ["s1", "s2"], flow=5.0))
            engine._flow.run(2, batch(2, ["s3"], flow=0.5))
            assert eventually(lambda: engine.status.actions["sinks.lines"].waiting == 0)
            counts = engine.status.actions["sinks.topics"]
            assert (counts.sent, counts.waiting > 0) == (0, True)
            kafka.up()
            engine._flow.run(3, batch(3, ["s1"], flow=5.0))
            assert eventually(lambda: all_are_out(engine))
            engine.finish()  # what that brings goes beside the rows of batches
            assert eventually(lambda: all_are_out(engine))
        for query in ("full", "empty"):
            lines = (tmp_path / f"{query}.jsonl").read_text().splitlines()
            found = kafka.records(f"rows_{query}", 100)
            assert [(record.value() or b"").decode() for record in found] == lines
            assert [record.key() for record in found] == [json.loads(line)["sensor"].encode() for line in lines]
        assert len(lines) > 0


def test_a_console_gets_each_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Programs that read it get the lines that a file has."""
    of = project(tmp_path, sinks={"shown": {"console": True, "queries": ["full"]}, "lines": {"jsonl": "{query}.jsonl"}})
    with Engine(of) as engine:
        engine.submit(QUERIES)
        engine._flow.run(1, batch(1, ["s1", "s2"], flow=5.0))
        engine._flow.run(2, batch(2, ["s3"], flow=0.5))
        assert eventually(lambda: all_are_out(engine))
        engine.finish()
        assert eventually(lambda: all_are_out(engine))
    assert (tmp_path / "empty.jsonl").exists()
    shown = capsys.readouterr().out
    assert shown == (tmp_path / "full.jsonl").read_text()
    assert len(shown.splitlines()) == len({json.loads(line)["_id"] for line in shown.splitlines()}) > 0


def test_what_a_sink_lacks_is_told(tmp_path: Path) -> None:
    table = {"mqtt": {"broker": "b", "topic": "t/{", "user": "u"}}
    settings = Settings.parse({"sinks": {"board": table}}, root=tmp_path, file="kaicep.toml")
    with pytest.raises(ConfigError, match=r"sinks.board.mqtt.topic: 't/\{' is no template"):
        check_sink(settings, "board")
    check_sink(Settings.parse({"sinks": {"db": {"sql": {"url": "sqlite://"}}}}, root=tmp_path), "db")


HUSHED = {"MQTT_USER": "hush-mqtt-user", "MQTT_PASSWORD": "hush-mqtt", "KAFKA_PASSWORD": "hush-kafka"}
LOGIN = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "ops", "log_level": "7"}


def test_no_secret_is_said_or_kept(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Of sinks that are refused, or away: in the log, the status, the engine's files, or an answer of the server."""
    database, hook = f"postgresql+psycopg://me:hush-sql@127.0.0.1:{free_port()}/rows", "http://me:hush-hook@127.0.0.1:9"
    for name, value in {**HUSHED, "DATABASE": database, "HOOK": hook}.items():
        monkeypatch.setenv(name, value)
    caplog.set_level("DEBUG")
    with mosquitto(tmp_path, free_port(), anonymous=False) as broker:
        login = {"user": "env:MQTT_USER", "password": "env:MQTT_PASSWORD"}
        kafka = {"servers": f"127.0.0.1:{free_port()}", "topic": "t"}
        kinds: dict[str, dict[str, Any]] = {
            "board": {"mqtt": {"broker": broker, "topic": "t", **login}},
            "base": {"sql": {"url": "env:DATABASE"}},
            "queue": {"kafka": {**kafka, "options": {**LOGIN, "sasl.password": "env:KAFKA_PASSWORD"}}},
            "post": {"webhook": {"url": "env:HOOK"}},
        }
        source = {"mqtt": {"server": f"mqtt://{broker}", "topics": "a/#", **login}}
        of = project(tmp_path, sinks={name: {**kind, "timeout": "1s"} for name, kind in kinds.items()})
        with Engine(of) as engine:
            assert engine._actions is not None
            calls = engine._actions.calls
            engine.submit(QUERIES)
            engine._flow.run(1, batch(1, ["s1"], flow=5.0))
            assert eventually(lambda: all(calls.counts()[f"sinks.{name}"].reason for name in kinds))
            said = {name: calls.counts()[f"sinks.{name}"].reason for name in kinds}
            told = [repr(engine.status), repr(said), repr(of.settings)]
        with serving(with_source(of.settings, source), stores=False) as url:
            paths = ("/status", "/streams", "/streams/air", "/metrics", "/openapi.json", "/queries", "/vocabulary")
            answers = [ask(url + path) for path in paths]
    assert {answer.status for answer in answers} == {200}
    assert said["board"] == "the broker refuses the connection: Not authorized"
    assert "Connection refused" in str(said["base"])
    kept = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    logged = [caplog.text, *capfd.readouterr()]
    assert not [text for text in [*told, *logged, *(answer.text for answer in answers)] if "hush" in text]
    assert not [content for content in kept if b"hush" in content]
    assert len(kept) > 5


def with_source(settings: Settings, source: dict[str, Any]) -> Settings:
    """The same, with a source of its stream."""
    stream = settings.streams["air"].model_copy(update={"source": SourceSettings.model_validate(source)})
    return settings.model_copy(update={"streams": {"air": stream}})
