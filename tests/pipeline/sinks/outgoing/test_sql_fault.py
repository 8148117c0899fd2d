"""What a row can never be, and what only the database has to get over: in SQLite, and in a real PostgreSQL."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest
from kaicep import Engine
from kaicep.pipeline.actions import DeliveryError
from kaicep.pipeline.sinks.outgoing.sql_fault import database_error
from sqlalchemy import exc
from support.living import batch, project
from support.postgresql import PostgreSQL
from support.receivers import eventually
from support.sql_rows import sql_rows, sql_sink

pytestmark = pytest.mark.xdist_group("postgresql")  # one server for all of them

LONG = random.Random(1).randbytes(9000).hex()
KEY = "CREATE TABLE warm (_id TEXT PRIMARY KEY"


def refusal(folder: Path, url: str, item: object) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        sql_sink(folder, url).send(sql_rows(1, f=item))
    return caught.value


@pytest.mark.parametrize(
    ("tables", "item", "why"),
    [
        ([f"{KEY}, f TEXT)"], "x\0y", "cannot contain NUL"),
        ([f"{KEY}, f VARCHAR(3))"], "abcd", "value too long"),
        ([f"{KEY}, f SMALLINT)"], 70_000, "smallint out of range"),
        ([f"{KEY}, f NUMERIC(4, 2))"], 12_345, "numeric field overflow"),
        ([f"{KEY}, f REAL)"], 1e300, "out of range"),
        ([f"{KEY}, f TIMESTAMPTZ)"], "soon", "invalid input syntax"),
        ([f"{KEY}, f BYTEA)"], "x", "bytes or buffer expected"),
        ([f"{KEY}, f TEXT NOT NULL)"], None, "not-null constraint"),
        ([f"{KEY}, f INT CHECK (f < 3))"], 5, "check constraint"),
        ([f"{KEY}, f INT UNIQUE)", "INSERT INTO warm VALUES ('b', 5)"], 5, "unique constraint"),
        ([f"{KEY}, f TEXT)", "CREATE INDEX ON warm (f)"], LONG, "index row requires"),
    ],
)
def test_what_postgresql_can_never_take(
    tables: list[str], item: object, why: str, server: PostgreSQL, tmp_path: Path
) -> None:
    """It is known with the first try, once it is known which row it is."""
    for text in tables:
        server.asked(text)
    found = refusal(tmp_path, server.url, item)
    assert (found.refused, found.hopeless) == (True, True)
    assert why in found.reason
    with pytest.raises(DeliveryError) as caught:
        sql_sink(tmp_path, server.url).send([*sql_rows(1, f=item), *sql_rows(2, f=item)])
    assert (caught.value.refused, caught.value.hopeless) == (True, False)


def test_a_row_of_another_table_may_come_yet(server: PostgreSQL, tmp_path: Path) -> None:
    server.asked("CREATE TABLE rooms (name TEXT PRIMARY KEY)")
    server.asked(f"{KEY}, f TEXT REFERENCES rooms)")
    found = refusal(tmp_path, server.url, "hall")
    assert (found.refused, found.hopeless) == (True, False)


def test_a_standby_and_rights_that_are_lacking_are_waited_for(server: PostgreSQL, tmp_path: Path) -> None:
    server.asked(f"{KEY}, room TEXT, n INT, f INT, _time TIMESTAMPTZ)")
    for text in (
        "CREATE ROLE standby LOGIN SUPERUSER",
        "ALTER ROLE standby SET default_transaction_read_only = on",
        "CREATE ROLE poor LOGIN",
        "GRANT USAGE ON SCHEMA public TO poor",
        "GRANT SELECT ON warm TO poor",
    ):
        server.asked(text)
    read_only = refusal(tmp_path, server.url.replace("me@", "standby@"), 1)
    poor = refusal(tmp_path, server.url.replace("me@", "poor@"), 1)
    assert "read-only transaction" in read_only.reason
    assert "permission denied" in poor.reason
    assert [(one.refused, one.hopeless) for one in (read_only, poor)] == [(False, False)] * 2


@pytest.mark.parametrize(
    ("column", "item"),
    [("INT CHECK (f < 3)", 5), ("INT NOT NULL", None), ("INT UNIQUE DEFAULT 5", 5), ("INT", 2**70)],
)
def test_what_sqlite_can_never_take(column: str, item: object, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "rows.db") as connection:
        connection.execute(f"{KEY}, f {column}, room TEXT, n INT, _time TEXT)")
        if "UNIQUE" in column:
            connection.execute("INSERT INTO warm (_id) VALUES ('b')")
    found = refusal(tmp_path, "sqlite:///rows.db", item)
    assert (found.refused, found.hopeless) == (True, True)


def test_a_trigger_that_objects_is_asked_again(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "rows.db") as connection:
        connection.execute(f"{KEY}, f INT, room TEXT, n INT, _time TEXT)")
        connection.execute("CREATE TRIGGER no BEFORE INSERT ON warm BEGIN SELECT RAISE(ABORT, 'closed'); END")
    found = refusal(tmp_path, "sqlite:///rows.db", 1)
    assert (found.reason, found.refused, found.hopeless) == ("the database refuses the rows: closed", True, False)


def test_a_file_that_is_no_database_is_no_fault_of_the_rows(tmp_path: Path) -> None:
    (tmp_path / "rows.db").write_text("no database, but a text that is longer than its head is")
    found = refusal(tmp_path, "sqlite:///rows.db", 1)
    assert not found.refused
    assert "file is not a database" in found.reason


class Coded(Exception):
    """What a driver of PostgreSQL raises, with its code."""

    def __init__(self, **code: str) -> None:
        super().__init__("said")
        vars(self).update(code)


@pytest.mark.parametrize("state", ["08006", "25006", "40001", "40P01", "53100", "53300", "55P03", "57014", "57P01"])
@pytest.mark.parametrize("name", ["sqlstate", "pgcode"])
@pytest.mark.parametrize("kind", [exc.InternalError, exc.ProgrammingError, exc.DataError])
def test_states_of_the_database_are_known_by_their_codes(name: str, state: str, kind: type[exc.DBAPIError]) -> None:
    """Whichever class a driver has chosen, and whichever of the names it gives the code."""
    assert not database_error(kind("", {}, Coded(**{name: state})), 1).refused


def test_without_a_code_the_class_decides() -> None:
    def fate(error: Exception) -> tuple[bool, bool]:
        found = database_error(error, 1)
        return found.refused, found.hopeless

    said: tuple[str, dict[str, object], Exception] = ("", {}, Coded())
    assert fate(exc.DataError(*said)) == fate(exc.IntegrityError(*said)) == fate(ValueError("NUL")) == (True, True)
    assert fate(exc.StatementError("no moment", *said)) == (True, True)
    assert fate(exc.ProgrammingError(*said)) == fate(exc.NoSuchTableError("warm")) == (True, False)
    for state in (exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.DatabaseError):
        assert fate(state(*said)) == (False, False)
    assert fate(exc.TimeoutError()) == fate(exc.DisconnectionError()) == (False, False)


def test_neighbours_of_a_row_that_is_never_taken_go_in_at_once(server: PostgreSQL, tmp_path: Path) -> None:
    """The pause before a further try is longer than the test; the row is a dead letter, with the reason."""
    of = project(tmp_path, sinks={"base": {"sql": {"url": server.url}, "backoff": "1h", "backoff_limit": "1h"}})
    with Engine(of) as engine:
        assert engine._actions is not None
        engine.submit("CREATE QUERY names AS SELECT ?e.sensor AS sensor, ?e.flow AS flow FROM (?e, air)")
        engine._flow.run(1, batch(1, [*(f"s{n}" for n in range(40)), "s\0", *(f"t{n}" for n in range(40))], flow=1.0))
        engine.finish()
        assert eventually(lambda: engine.status.actions["sinks.base"].waiting == 0)
        (letter,) = engine._actions.calls.failed()
        assert letter.tries == 1
        assert "cannot contain NUL" in letter.reason
        (taken,) = server.asked("SELECT COUNT(*) FROM names")
        assert taken == (engine.progress.matches["names"] - 1,)
