"""`[sinks.NAME]`: one kind each."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError

MQTT = {"broker": "b", "topic": "alarms/{query}"}


def parsed(**sink: Any) -> Settings:
    return Settings.parse({"sinks": {"ops": sink}})


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        ("mqtt", MQTT),
        ("webhook", {"url": "https://ops.example/"}),
        ("kafka", {"servers": "b:9092", "topic": "rows"}),
        ("sql", {"url": "sqlite:///rows.db"}),
        ("sql", {"url": "env:DATABASE"}),
        ("jsonl", "rows/{query}.jsonl"),
        ("parquet", "rows"),
        ("console", True),
        ("sql", {"url": "postgresql+psycopg://me@host/db", "table": "rows"}),
    ],
)
def test_each_kind(kind: str, table: object) -> None:
    sink = parsed(**{kind: table}).sinks["ops"]
    assert (sink.kind, sink.queries) == (kind, ())


def test_who_is_away_is_waited_for() -> None:
    """However long that takes, and not as long as one that refuses."""
    delivery = parsed(mqtt=MQTT, tries=3, timeout="2s").sinks["ops"].delivery
    assert delivery.tries > 10**9
    assert (delivery.timeout.total_seconds(), delivery.asks_engine) == (2.0, False)


def test_files_are_written_by_one_thread() -> None:
    """What it wrote last when the engine was killed is at the end."""
    assert parsed(parquet="rows").sinks["ops"].delivery.concurrency == 1
    assert parsed(mqtt=MQTT).sinks["ops"].delivery.concurrency > 1


@pytest.mark.parametrize(
    ("sink", "why"),
    [
        ({}, "a sink is of one kind, it has none; write one of jsonl, parquet, console, webhook, mqtt, kafka, sql"),
        ({"mqtt": MQTT, "sql": {"url": "sqlite://"}}, "it has mqtt and sql"),
        ({"sql": {"url": "rows.db"}}, "'rows.db' is no database"),
        ({"sql": {"url": "postgresql://me:hush@h/db"}}, "an URL with a password is a secret"),
        ({"sql": {"url": "postgresql://me:hush/x@h/db"}}, "an URL with a password is a secret"),
        ({"sql": {"url": "PostgreSQL://me:hush@h/db"}}, "an URL with a password is a secret"),
        ({"sql": {"url": "postgresql+psycopg://h/db?password=hush"}}, "an URL with a password is a secret"),
        ({"console": False}, "sinks.ops.console: takes True, not False"),
        ({"mqtt": MQTT, "query": ["a"]}, "unknown key 'query'"),
    ],
)
def test_what_is_refused(sink: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(**sink)
    assert why in str(caught.value)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "first", "second", "refused"),
    [
        ("parquet", ("rows", []), ("./rows/", []), True),
        ("parquet", ("rows", ["a"]), ("rows", ["a", "b"]), True),
        ("parquet", ("rows", ["a"]), ("rows", ["b"]), False),
        ("jsonl", ("rows.jsonl", ["a"]), ("rows.jsonl", ["b"]), True),
        ("jsonl", ("{query}.jsonl", ["a"]), ("{query}.jsonl", []), True),
        ("jsonl", ("{query}.jsonl", ["a"]), ("{query}.jsonl", ["b"]), False),
        ("jsonl", ("a.jsonl", []), ("b.jsonl", []), False),
    ],
)
def test_a_file_is_written_by_one_sink(
    kind: str, first: tuple[str, list[str]], second: tuple[str, list[str]], *, refused: bool
) -> None:
    """The other one would take what it has not written for what it has, and number its files alike."""
    sinks = {name: {kind: path, "queries": queries} for name, (path, queries) in (("x", first), ("y", second))}
    with pytest.raises(ConfigError, match=f"sinks.y.{kind}: sinks.x writes there") if refused else nullcontext():
        assert set(Settings.parse({"sinks": sinks}).sinks) == {"x", "y"}


def test_a_table_may_have_the_rows_of_several_sinks() -> None:
    """It knows each row."""
    table = {"url": "sqlite:///rows.db", "table": "every"}
    assert set(Settings.parse({"sinks": {"x": {"sql": table}, "y": {"sql": table}}}).sinks) == {"x", "y"}
