"""Rows in SQLite, and in a real PostgreSQL: each once, whatever comes again."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from kaicep.config import Settings
from kaicep.errors import ConfigError
from kaicep.pipeline.actions import ActionCall, ActionSpec, DeliveryError
from kaicep.pipeline.sinks.outgoing.sql_action import SqlAction
from kaicep.settings.sinks import SqlSettings
from support.brokers import free_port
from support.receivers import eventually


def sql(folder: Path, url: str = "sqlite:///rows.db", table: str = "{query}") -> SqlAction:
    own = {"url": url, "table": table}
    sink = Settings.parse({"sinks": {"db": {"sql": own}}}, root=folder).sinks["db"]
    return SqlAction(ActionSpec("sinks.db", sink.delivery, folder, "kaicep.toml"), SqlSettings.model_validate(own))


def rows(*numbers: int, query: str = "warm", **more: Any) -> list[ActionCall]:
    return [
        ActionCall(
            query,
            f"a{number}",
            "sinks.db",
            "2026-01-01T00:00:00Z",
            json.dumps(
                {"room": f"B{number}", "n": number, "_time": "2026-01-01T00:00:00.500Z", "_id": f"a{number}", **more}
            ),
        )
        for number in numbers
    ]


def asked(folder: Path, text: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(folder / "rows.db") as connection:
        return connection.execute(text).fetchall()


def test_a_table_is_made_and_a_row_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    sink = sql(tmp_path)
    sink.send(rows(1, 2, celsius=21.5, good=True, _events={"e": ["x"]}))
    sink.send(rows(2, 3, celsius=99.5))
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
    sink = sql(tmp_path)
    sink.send(rows(1, celsius=None))
    sink.send(rows(2, celsius=3.5))
    assert asked(tmp_path, "SELECT _id, celsius FROM warm ORDER BY _id") == [("a1", None), ("a2", 3.5)]


def test_queries_have_tables_or_share_one(tmp_path: Path) -> None:
    """Names are quoted, whatever they are."""
    sink = sql(tmp_path, table='rows of "{query}"; DROP')
    sink.send(rows(1, query="a b"))
    shared = sql(tmp_path, table="every")
    shared.send(rows(1, query="x"))
    shared.send(rows(2, query="y"))
    assert asked(tmp_path, 'SELECT _id FROM "rows of ""a b""; DROP"') == [("a1",)]
    assert asked(tmp_path, "SELECT COUNT(*) FROM every") == [(2,)]


def test_a_table_of_others_needs_the_key(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "rows.db") as connection:
        connection.execute("CREATE TABLE warm (room TEXT)")
    with pytest.raises(DeliveryError, match="the table warm has no column _id, by which rows are known"):
        sql(tmp_path).send(rows(1))


def test_a_database_that_is_away_is_no_refusal(tmp_path: Path) -> None:
    (tmp_path / "rows.db").mkdir()
    with pytest.raises(DeliveryError, match="the database does not do it: unable to open database file") as caught:
        sql(tmp_path).send(rows(1))
    assert not caught.value.refused


def test_a_row_that_the_database_refuses_is_told_without_its_values(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "rows.db") as connection:
        connection.execute(
            "CREATE TABLE warm (_id TEXT PRIMARY KEY, room TEXT CHECK (room <> 'B1'), n INT, _time TEXT)"
        )
    with pytest.raises(DeliveryError, match="the database refuses the rows: CHECK constraint failed") as caught:
        sql(tmp_path).send(rows(1))
    assert caught.value.refused
    assert "B1'" not in caught.value.reason.replace("room <> 'B1'", "")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("nothing+like://h/db", "what url names is no URL|is not installed"),
        ("mssql+pymssql://h/db", "sinks.db.sql: pymssql, which the database needs, is not installed"),
        ("env:NOBODY_HAS_THIS", "sinks.db.sql.url: the environment has no variable"),
    ],
)
def test_what_a_database_needs_is_said(tmp_path: Path, url: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        sql(tmp_path, url)


@pytest.mark.parametrize("url", ["postgresql+psycopg://me:hu@sh:hush@h/db", "post gres://me:hush@h", "hush"])
def test_an_url_that_is_found_and_none_is_not_repeated(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of a password that is not escaped look like a port."""
    monkeypatch.setenv("DATABASE", url)
    with pytest.raises(ConfigError, match=r"sinks\.db\.sql: what url names is no URL of a database.*%40") as caught:
        sql(tmp_path, "env:DATABASE")
    assert "hush" not in str(caught.value)


def test_databases_that_have_no_such_insert_are_asked_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kaicep.pipeline.sinks.outgoing.sql_action._INSERTS_APART", frozenset())
    sink = sql(tmp_path)
    sink.send(rows(1, 2))
    sink.send(rows(2, 3))
    sink.send(rows(3))
    assert asked(tmp_path, "SELECT _id FROM warm ORDER BY _id") == [("a1",), ("a2",), ("a3",)]


@contextmanager
def postgres(folder: Path, port: int) -> Iterator[str]:
    """A cluster of its own, by a user that is not root; its URL."""
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    initdb = shutil.which("initdb", path=os.pathsep.join([*map(str, reversed(binaries)), os.environ["PATH"]]))
    assert initdb is not None, "tests of PostgreSQL need it: apt-get install postgresql"
    user = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    own: dict[str, Any] = {"user": user} if os.geteuid() == 0 else {}
    if own:
        shutil.chown(folder, user)
    data, binary = folder / "data", Path(initdb).parent / "postgres"
    subprocess.run([initdb, "-D", data, "-U", "me", "-A", "trust"], check=True, capture_output=True, cwd="/", **own)
    words = [str(binary), "-D", str(data), "-p", str(port), "-h", "127.0.0.1", "-k", "", "-F"]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, cwd="/", **own) as server:
        try:
            url = f"postgresql+psycopg://me@127.0.0.1:{port}/postgres"
            engine = sqlalchemy.create_engine(url)
            assert eventually(lambda: _connects(engine), 300)
            yield url
        finally:
            server.send_signal(signal.SIGINT)  # at once, whoever is connected


def _connects(engine: sqlalchemy.Engine) -> bool:
    try:
        engine.connect().close()
    except sqlalchemy.exc.OperationalError:
        return False
    return True


@pytest.mark.long
def test_postgresql(tmp_path: Path) -> None:
    """Away and there again; what comes again changes nothing; types are those of the values."""
    port = free_port()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sink = sql(tmp_path, f"postgresql+psycopg://me@127.0.0.1:{port}/postgres")
        with pytest.raises(DeliveryError, match="the database does not do it"):
            sink.send(rows(1))
        with postgres(folder, port) as url:
            sink.send(rows(1, 2, celsius=21.5, good=True))
            sink.send(rows(2, 3, celsius=1.0, late="x"))
            with sqlalchemy.create_engine(url).connect() as connection:
                found = connection.execute(sqlalchemy.text("SELECT _id, n, celsius, good, late FROM warm ORDER BY _id"))
                assert [tuple(row) for row in found] == [
                    ("a1", 1, 21.5, True, None),
                    ("a2", 2, 21.5, True, None),
                    ("a3", 3, 1.0, None, "x"),
                ]
                (moment,) = connection.execute(sqlalchemy.text("SELECT DISTINCT _time FROM warm")).one()
                assert moment.isoformat() == "2026-01-01T00:00:00.500000+00:00"
            sink.close()
