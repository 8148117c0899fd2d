"""Why a database did not take rows: for what they are, which no further try changes, or for how it fares itself.

That is known by SQLSTATE, by the codes of SQLite, and else by the class of the exception, which drivers choose less
carefully; never by what is said.
"""

from __future__ import annotations

from typing import Any

from ...actions import DeliveryError

__all__ = ["CLIENT_FAULTS", "database_error"]

CLIENT_FAULTS = (TypeError, ValueError, OverflowError)
"""What drivers raise, unwrapped, of a value that they cannot write down for the database."""

_OF_ROWS = ("22", "23", "54")
"""SQLSTATE, by its first letters: data, constraints, and more than a row or an index may hold."""
_OF_DATABASE = ("08", "25", "28", "40", "42501", "53", "55", "57", "58", "XX")
"""Connections, standbys that only read, rights, transactions that yield to others, resources, locks, operators, disks,
and its own faults."""
_OF_OTHERS = ("23503", "23001")
"""A row of another table that may come yet."""
_SQLITE_OF_OTHERS = frozenset({"SQLITE_CONSTRAINT_FOREIGNKEY", "SQLITE_CONSTRAINT_TRIGGER"})


def database_error(error: Exception, count: int) -> DeliveryError:
    """What becomes of rows that a database did not take, all of them together.

    Args:
        error: of SQLAlchemy, or one of `CLIENT_FAULTS`.
        count: how many rows they were; only of one that is alone is it known that it is the one.

    Returns:
        The error to raise. A database that fares badly is no refusal.
    """
    never = _of_rows(error)
    if never is None:
        return DeliveryError(f"the database does not do it: {_said(error)}")
    return DeliveryError(f"the database refuses the rows: {_said(error)}", refused=True, hopeless=never and count == 1)


def _of_rows(error: Exception) -> bool | None:
    """Whether a row can never be taken; `None`: it is not for the rows that they were not."""
    from sqlalchemy import exc  # noqa: PLC0415 - an extra, which is loaded when there is a sink

    original = getattr(error, "orig", None)
    state = getattr(original, "sqlstate", None) or getattr(original, "pgcode", None)
    if state and state.startswith(_OF_DATABASE):
        return None
    if state:
        return state.startswith(_OF_ROWS) and state not in _OF_OTHERS
    if getattr(original, "sqlite_errorname", None) in _SQLITE_OF_OTHERS:
        return False
    match error:
        case exc.DataError() | exc.IntegrityError() | TypeError() | ValueError() | OverflowError():
            return True
        case exc.ProgrammingError() | exc.NotSupportedError():
            return False
        case exc.DBAPIError() | exc.TimeoutError() | exc.DisconnectionError():
            return None
        case _:  # a statement that never went out: a value could not be written down
            return isinstance(error, exc.StatementError)


def _said(error: Any) -> str:
    """What the driver says, without the statement and its values."""
    original = getattr(error, "orig", None)
    lines = str(original if original is not None else error).strip().splitlines() or [type(error).__name__]
    return lines[0]
