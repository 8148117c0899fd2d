"""Rows into tables of a database, each once: `_id` is the primary key, and a row that is there is left as it is.

SQLAlchemy is an extra, and loaded when a sink is made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ....errors import ConfigError, Place
from ....settings.sinks import SqlSettings
from ...actions import ActionCall, ActionSpec, DeliveryError
from .sql_column import ID, column_of, holder, widens
from .sql_fault import CLIENT_FAULTS, database_error

if TYPE_CHECKING:
    from sqlalchemy import Connection, Dialect, Engine, Table

__all__ = ["SqlAction"]

_AT_ONCE = 1000
_TIME = "_time"
_URL_HINT = 'write "sqlite:///rows.db"; in passwords, @ : / are %40 %3A %2F'
_INSERTS_APART = frozenset({"sqlite", "postgresql"})
"""Databases that leave a row as it is by themselves; in others it is asked which rows are there."""
_PACKAGES = {"MySQLdb": "mysqlclient", "psycopg": "'psycopg[binary]'", "psycopg2": "psycopg2-binary"}
"""Driver → where it is found, if that has another name, or needs a compiler."""

_Rows = Sequence[Mapping[str, Any]]
_Taken = list[dict[str, Any]]


class SqlAction:
    """Inserts rows; see `Action`.

    Args:
        spec: what it is made of.
        sql: its settings.

    Raises:
        ConfigError: SQLAlchemy or the driver is not installed, or the URL that is found is none.
    """

    batch = _AT_ONCE
    needs: frozenset[str] = frozenset()

    def __init__(self, spec: ActionSpec, sql: SqlSettings) -> None:
        self._name = sql.table
        self._engine = _engine(spec, spec.resolved("sql.url", sql.url))
        self._tables: dict[str, Table] = {}

    def check(self) -> None:
        """See `Action.check`: whether the database is there is seen when there is a row."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`: all of them, or none; but those before one that the table would change."""
        from sqlalchemy import exc  # noqa: PLC0415 - see above

        rows = [_typed(json.loads(call.arguments)) for call in calls]
        name = self._name.replace("{query}", calls[0].rule)
        try:
            with self._engine.begin() as connection:
                taken, fault = self._taken(connection, name, rows)
                _insert(connection, self._tables[name], taken)
        except (exc.SQLAlchemyError, *CLIENT_FAULTS) as error:
            self._tables.clear()
            raise database_error(error, len(calls)) from None
        if fault is not None:
            raise fault

    def close(self) -> None:
        """See `Action.close`."""
        self._engine.dispose()

    def _taken(self, connection: Connection, name: str, rows: _Rows) -> tuple[_Taken, DeliveryError | None]:
        """What goes into a table: as it was when it was looked at, or where that does not hold all, as it is now."""
        known = self._tables.get(name)
        if known is not None and not _narrow(known, rows, connection.dialect):
            taken, fault = _taken(known, rows, connection.dialect)
            if fault is None:
                return taken, None
        return _taken(self._table(connection, name, rows), rows, connection.dialect)

    def _table(self, connection: Connection, name: str, rows: _Rows) -> Table:
        """The table with a column for each value; made, or widened, where it is not there, or narrower."""
        from sqlalchemy import MetaData, Table, inspect  # noqa: PLC0415 - see above

        wanted = {key: value for row in reversed(rows) for key, value in row.items() if value is not None}
        if not inspect(connection).has_table(name):
            columns = [column_of(key, value) for key, value in {ID: "", **wanted}.items()]
            Table(name, MetaData(), *columns).create(connection)
        found = Table(name, MetaData(), autoload_with=connection)
        if ID not in found.columns:
            message = f"the table {name} has no column {ID}, by which rows are known"
            raise DeliveryError(message)
        while narrow := _narrow(found, rows, connection.dialect):
            for key in narrow:
                _widen(connection, found, key, wanted[key])
            found = Table(name, MetaData(), autoload_with=connection)
        self._tables[name] = found
        return found


def _engine(spec: ActionSpec, url: str) -> Engine:
    try:
        from sqlalchemy import create_engine, exc, make_url  # noqa: PLC0415 - an extra; see above
    except ImportError as error:
        raise _lacking(spec, "SQLAlchemy is not installed", "pip install 'kaicep[sql]'") from error
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "sqlite" and parsed.database and parsed.database != ":memory:":
            parsed = parsed.set(database=str(spec.root / parsed.database))
        return create_engine(parsed, pool_pre_ping=True, hide_parameters=True)
    except ImportError as error:
        driver = error.name or "the driver"
        install = f"pip install {_PACKAGES.get(driver, driver)}"
        raise _lacking(spec, f"{driver}, which the database needs, is not installed", install) from None
    except (exc.ArgumentError, ValueError):  # what is said of a port may be part of a password that is not escaped
        raise _lacking(spec, "what url names is no URL of a database", _URL_HINT) from None


def _lacking(spec: ActionSpec, why: str, hint: str) -> ConfigError:
    return ConfigError(f"{spec.place}.sql: {why}", place=Place(spec.file), hint=hint)


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    """A row's values as a database has them: time stamps as such, and what is nested as JSON."""
    found = {
        key: json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
        for key, value in row.items()
    }
    if isinstance(found.get(_TIME), str):
        found[_TIME] = datetime.fromisoformat(found[_TIME])
    return found


def _narrow(table: Table, rows: _Rows, dialect: Dialect) -> list[str]:
    """The columns that a table lacks, and those that have to be wider."""
    wanted = dict.fromkeys(key for row in rows for key, value in row.items() if value is not None)
    columns = table.columns
    return [
        key for key in wanted if key not in columns or widens(columns[key], (row.get(key) for row in rows), dialect)
    ]


def _taken(table: Table, rows: _Rows, dialect: Dialect) -> tuple[_Taken, DeliveryError | None]:
    """The rows as the table holds them, up to the first that it would change; then the error to raise, or `None`.

    Columns of which no row knows are left to the database.
    """
    names = {key for row in rows for key in row}
    holders = [(column, holder(column, dialect)) for column in table.columns if column.name in names]
    taken: _Taken = []
    for row in rows:
        held: dict[str, Any] = {}
        for column, hold in holders:
            value = row.get(column.name)
            try:
                held[column.name] = None if value is None else hold(value)
            except ValueError as error:
                message = f"{column.name} of the table {table.name} is {column.type}, where {error}"
                return taken, DeliveryError(message, delivered=len(taken), hopeless=True)
        taken.append(held)
    return taken, None


def _insert(connection: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> None:
    """Insert the rows that are not there."""
    from sqlalchemy import select  # noqa: PLC0415 - see above
    from sqlalchemy.dialects import postgresql, sqlite  # noqa: PLC0415 - likewise

    unique = {row[ID]: row for row in rows}
    if connection.dialect.name in _INSERTS_APART:
        dialect: Any = sqlite if connection.dialect.name == "sqlite" else postgresql
        statement = dialect.insert(table).on_conflict_do_nothing(index_elements=[ID])
    else:
        there = connection.execute(select(table.c[ID]).where(table.c[ID].in_(list(unique))))
        for (known,) in there:
            unique.pop(known, None)
        statement = table.insert()
    if unique:
        connection.execute(statement, list(unique.values()))


def _widen(connection: Connection, table: Table, name: str, value: object) -> None:
    """Add a column of which no row before had a value, or let one hold numbers of all kinds."""
    from sqlalchemy.schema import CreateColumn  # noqa: PLC0415 - see above

    prepare = connection.dialect.identifier_preparer
    if name in table.columns:
        change = f"ALTER COLUMN {prepare.quote(name)} TYPE NUMERIC"
    else:
        change = f"ADD COLUMN {CreateColumn(column_of(name, value)).compile(dialect=connection.dialect)}"
    connection.exec_driver_sql(f"ALTER TABLE {prepare.format_table(table)} {change}")
