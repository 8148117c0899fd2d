"""Rows in SQLite, and in a real PostgreSQL: each once, whatever comes again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from kaicep import Engine
from kaicep.errors import ConfigError
from kaicep.pipeline.actions import DeliveryError
from support.living import batch, project
from support.postgresql import PostgreSQL
from support.receivers import eventually
from support.sql_rows import sql_rows, sql_sink

pytestmark = pytest.mark.xdist_group("postgresql")  # one server for all of them


def asked(folder: Path, text: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(folder / "rows.db") as connection:
        return connection.execute(text).fetchall()


def test_a_table_is_made_and_a_row_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    sink = sql_sink(tmp_path)
    sink.send(sql_rows(1, 2, celsius=21.5, good=True, _events={"e": ["x"]}))
    sink.send(sql_rows(2, 3, celsius=99.5))
    sink.close()
    assert asked(tmp_path, "SELECT _id, room, n, celsius, good, _events FROM warm ORDER BY _id") == [
        ("a1", "B1", 1, 21.5, 1, '{"e": ["x"]}'),
        ("a2", "B2", 2, 21.5, 1, '{"e": ["x"]}'),
        ("a3", "B3", 3, 99.5, None, None),
    ]
    assert asked(tmp_path, "SELECT DISTINCT _time FROM warm") == [("2026-01-01 00:00:00.500000",)]
    kinds = {name: kind for _, name, kind, *_ in asked(tmp_path, "PRAGMA table_info(warm)")}
    assert kinds == {
        "_id": "VARCHAR(255)", "room": "TEXT", "n": "BIGINT", "celsius": "DOUBLE", "good": "BOOLEAN",
        "_time": "DATETIME", "_events": "TEXT",
    }  # fmt: skip


def test_columns_come_with_their_first_value(tmp_path: Path) -> None:
    """Also to a sink that has known the table before."""
    sink = sql_sink(tmp_path)
    sink.send(sql_rows(1, celsius=None))
    sink.send(sql_rows(2, celsius=3.5))
    assert asked(tmp_path, "SELECT _id, celsius FROM warm ORDER BY _id") == [("a1", None), ("a2", 3.5)]


def test_queries_have_tables_or_share_one(tmp_path: Path) -> None:
    """Names are quoted, whatever they are."""
    sink = sql_sink(tmp_path, table='rows of "{query}"; DROP')
    sink.send(sql_rows(1, query="a b"))
    shared = sql_sink(tmp_path, table="every")
    shared.send(sql_rows(1, query="x"))
    shared.send(sql_rows(2, query="y"))
    assert asked(tmp_path, 'SELECT _id FROM "rows of ""a b""; DROP"') == [("a1",)]
    assert asked(tmp_path, "SELECT COUNT(*) FROM every") == [(2,)]


def test_a_table_of_others_needs_the_key(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "rows.db") as connection:
        connection.execute("CREATE TABLE warm (room TEXT)")
    with pytest.raises(DeliveryError, match="the table warm has no column _id, by which rows are known"):
        sql_sink(tmp_path).send(sql_rows(1))


def test_columns_of_which_no_row_knows_are_left_to_the_database(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "rows.db") as connection:
        connection.execute("CREATE TABLE warm (_id TEXT PRIMARY KEY, seen TEXT NOT NULL DEFAULT 'no')")
    sql_sink(tmp_path).send(sql_rows(1))
    assert asked(tmp_path, "SELECT _id, room, seen FROM warm") == [("a1", "B1", "no")]


def test_a_database_that_is_away_is_no_refusal(tmp_path: Path) -> None:
    (tmp_path / "rows.db").mkdir()
    with pytest.raises(DeliveryError, match="the database does not do it: unable to open database file") as caught:
        sql_sink(tmp_path).send(sql_rows(1))
    assert not caught.value.refused


def test_a_row_that_the_database_refuses_is_told_without_its_values(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "rows.db") as connection:
        connection.execute(
            "CREATE TABLE warm (_id TEXT PRIMARY KEY, room TEXT CHECK (room <> 'B1'), n INT, _time TEXT)"
        )
    with pytest.raises(DeliveryError, match="the database refuses the rows: CHECK constraint failed") as caught:
        sql_sink(tmp_path).send(sql_rows(1))
    assert caught.value.refused
    assert "B1'" not in caught.value.reason.replace("room <> 'B1'", "")


@dataclass(frozen=True)
class Base:
    """A database, and how it is asked."""

    url: str
    asked: Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(params=["sqlite", "postgresql"])
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Base:
    if request.param == "sqlite":
        return Base("sqlite:///rows.db", partial(asked, tmp_path))
    server = request.getfixturevalue("server")
    return Base(server.url, server.asked)


def test_numbers_stay_what_they_are(base: Base, tmp_path: Path) -> None:
    """Whole ones first, then fractions; also within what goes out at once, and for a sink that has known the table."""
    sink, other = sql_sink(tmp_path, base.url), sql_sink(tmp_path, base.url)
    other.send(sql_rows(1, f=1))
    sink.send([*sql_rows(2, f=1.5, g=1), *sql_rows(3, f=2**60 + 1, g=0.1 + 0.2)])
    other.send([*sql_rows(4, f=2**53 + 1, g=2.0), *sql_rows(5, f=2.0**64)])
    found = base.asked("SELECT f, g FROM warm ORDER BY _id")
    assert [f for f, _ in found[:4]] == [1, 1.5, 2**60 + 1, 2**53 + 1]
    assert float(found[4][0]) == 2.0**64
    assert [g if g is None else float(g) for _, g in found] == [None, 1.0, 0.1 + 0.2, 2.0, None]


@pytest.mark.parametrize(
    ("first", "then", "why"),
    [
        (7, "007", "BIGINT, where a text would be changed"),
        (1.5, 2**53 + 1, r"DOUBLE( PRECISION)?, where a whole number would be changed"),
        (1.5, "1.5", r"DOUBLE( PRECISION)?, where a text would be changed"),
        (True, 1, "BOOLEAN, where a whole number would be changed"),
        (False, 0.0, "BOOLEAN, where a number would be changed"),
    ],
)
def test_what_a_column_would_change_is_refused(
    first: object, then: object, why: str, base: Base, tmp_path: Path
) -> None:
    """At once, by itself: those before it are there, and it goes in when the column is another one."""
    sink, other = sql_sink(tmp_path, base.url), sql_sink(tmp_path, base.url)
    sink.send(sql_rows(1, f=first))
    other.send(sql_rows(1, f=first))
    with pytest.raises(DeliveryError, match=f"^f of the table warm is {why}$") as caught:
        sink.send([*sql_rows(2, f=first), *sql_rows(3, f=then), *sql_rows(4, f=first)])
    assert (caught.value.delivered, caught.value.hopeless) == (1, True)
    assert base.asked("SELECT _id FROM warm ORDER BY _id") == [("a1",), ("a2",)]
    base.asked("ALTER TABLE warm DROP COLUMN f")
    base.asked("ALTER TABLE warm ADD COLUMN f TEXT")
    other.send(sql_rows(3, f=then))
    assert base.asked("SELECT f FROM warm WHERE _id = 'a3'") == [(then if isinstance(then, str) else json.dumps(then),)]


def test_among_texts_all_else_is_json(base: Base, tmp_path: Path) -> None:
    sink = sql_sink(tmp_path, base.url)
    sink.send(
        [*sql_rows(1, f="007"), *sql_rows(2, f=7), *sql_rows(3, f=1.5), *sql_rows(4, f=True), *sql_rows(5, f=[1])]
    )
    assert base.asked("SELECT f FROM warm ORDER BY _id") == [("007",), ("7",), ("1.5",), ("true",), ("[1]",)]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("nothing+like://h/db", "what url names is no URL|is not installed"),
        ("mssql+pymssql://h/db", "sinks.db.sql: pymssql, which the database needs, is not installed"),
        ("mysql://h/db", "MySQLdb, which the database needs, is not installed: pip install mysqlclient"),
        ("env:NOBODY_HAS_THIS", "sinks.db.sql.url: the environment has no variable"),
    ],
)
def test_what_a_database_needs_is_said(tmp_path: Path, url: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        sql_sink(tmp_path, url)


@pytest.mark.parametrize("url", ["postgresql+psycopg://me:hu@sh:hush@h/db", "post gres://me:hush@h", "hush"])
def test_an_url_that_is_found_and_none_is_not_repeated(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of a password that is not escaped look like a port."""
    monkeypatch.setenv("DATABASE", url)
    with pytest.raises(ConfigError, match=r"sinks\.db\.sql: what url names is no URL of a database.*%40") as caught:
        sql_sink(tmp_path, "env:DATABASE")
    assert "hush" not in str(caught.value)


def test_databases_that_have_no_such_insert_are_asked_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kaicep.pipeline.sinks.outgoing.sql_action._INSERTS_APART", frozenset())
    sink = sql_sink(tmp_path)
    sink.send(sql_rows(1, 2))
    sink.send(sql_rows(2, 3))
    sink.send(sql_rows(3))
    assert asked(tmp_path, "SELECT _id FROM warm ORDER BY _id") == [("a1",), ("a2",), ("a3",)]


def test_postgresql(server: PostgreSQL, tmp_path: Path) -> None:
    """Away and there again; what comes again changes nothing; types are those of the values."""
    sink = sql_sink(tmp_path, server.url)
    server.kill()
    with pytest.raises(DeliveryError, match="the database does not do it"):
        sink.send(sql_rows(1))
    server.begin()
    sink.send(sql_rows(1, 2, celsius=21.5, good=True))
    server.kill()
    server.begin()
    sink.send(sql_rows(2, 3, celsius=1.0, late="x"))
    assert server.asked("SELECT _id, n, celsius, good, late FROM warm ORDER BY _id") == [
        ("a1", 1, 21.5, True, None),
        ("a2", 2, 21.5, True, None),
        ("a3", 3, 1.0, None, "x"),
    ]
    (moment,) = server.asked("SELECT DISTINCT _time FROM warm")
    assert moment == (datetime(2026, 1, 1, 0, 0, 0, 500000, UTC),)
    sink.close()


def test_rows_of_an_engine_wait_for_a_server_that_is_killed(server: PostgreSQL, tmp_path: Path) -> None:
    """It ends while rows are on their way; a file has all of them meanwhile, and the next engine goes on."""
    kinds: dict[str, dict[str, Any]] = {"base": {"sql": {"url": server.url}}, "lines": {"jsonl": "rows.jsonl"}}
    sinks = {name: {**kind, "backoff": "20ms", "backoff_limit": "100ms"} for name, kind in kinds.items()}
    of = project(tmp_path, sinks=sinks)

    def run(engine: Engine, number: int) -> None:
        engine._flow.run(number, batch(number, [f"s{sensor}" for sensor in range(200)], flow=float(number)))

    def kill_when_there_is_one() -> None:
        assert eventually(lambda: server.asked("SELECT 1 FROM pg_tables WHERE tablename = 'warm'"))
        server.kill()

    query = "CREATE QUERY warm AS SELECT ?e.sensor AS sensor, ?e.flow AS flow FROM (?e, air)"
    numbers = iter(range(1, 60))
    with Engine(of) as engine, ThreadPoolExecutor(1) as pool:
        engine.submit(query)
        killed = pool.submit(kill_when_there_is_one)
        while not killed.done():
            run(engine, next(numbers))
        killed.result()
        run(engine, next(numbers))
        found = engine.progress.matches["warm"]
        assert eventually(lambda: len(ids_in(tmp_path / "rows.jsonl")) == found)
        waiting = engine.status.actions["sinks.base"]
        assert waiting.waiting > 0
        assert eventually(lambda: "the database does not do it" in str(engine.status.actions["sinks.base"].reason))
    with Engine(of) as engine:
        engine.submit(query)
        run(engine, next(numbers))
        server.begin()
        engine.finish()
        assert eventually(lambda: engine.status.actions["sinks.base"].waiting == 0)
        assert eventually(lambda: engine.status.actions["sinks.lines"].waiting == 0)
    of_lines = ids_in(tmp_path / "rows.jsonl")
    assert len(set(of_lines)) == len(of_lines) > found
    assert sorted(_id for (_id,) in server.asked("SELECT _id FROM warm")) == sorted(of_lines)


def test_a_row_that_its_column_would_change_waits_for_who_alters_it(tmp_path: Path) -> None:
    """The rows of the other query, in the same table, have not waited for it."""
    of = project(tmp_path, sinks={"base": {"sql": {"url": "sqlite:///rows.db", "table": "every"}, "backoff": "20ms"}})
    with Engine(of) as engine:
        assert engine._actions is not None
        engine.submit("CREATE QUERY numbers AS SELECT ?e.flow AS item FROM (?e, air)")
        engine._flow.run(1, batch(1, ["s1"], flow=1.5))
        assert eventually(lambda: engine.status.actions["sinks.base"].waiting == 0)
        engine.submit("CREATE QUERY texts AS SELECT ?e.sensor AS item FROM (?e, air)")
        engine._flow.run(2, batch(2, ["s1"], flow=2.5))
        assert eventually(lambda: engine.status.actions["sinks.base"].waiting == 0)
        (letter, *_) = engine._actions.calls.failed()
        assert letter.reason == "item of the table every is DOUBLE, where a text would be changed"
        assert set(asked(tmp_path, "SELECT item FROM every")) == {(1.5,), (2.5,)}
        asked(tmp_path, "ALTER TABLE every RENAME COLUMN item TO number")
        assert engine._actions.calls.retry() > 0
        assert eventually(lambda: engine.status.actions["sinks.base"].waiting == 0)
        assert ("s1",) in asked(tmp_path, "SELECT item FROM every")
        assert engine.status.actions["sinks.base"].failed == 0


def ids_in(file: Path) -> list[str]:
    return [json.loads(line)["_id"] for line in file.read_text().splitlines()] if file.exists() else []
