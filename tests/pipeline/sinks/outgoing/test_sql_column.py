"""What columns are made for, and what they hold as it is; real databases are asked in `test_sql_action`."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from kaicep.pipeline.sinks.outgoing.sql_column import ID, column_of, holder, widens
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Double,
    Integer,
    LargeBinary,
    Numeric,
    SmallInteger,
    Text,
    make_url,
)

SQLITE, POSTGRESQL, MYSQL = (make_url(f"{name}://").get_dialect()() for name in ("sqlite", "postgresql", "mysql"))
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "kind"), [(True, Boolean), (1, BigInteger), (1.5, Double), ("x", Text), (NOON, DateTime)]
)
def test_a_column_is_for_what_comes_first(value: object, kind: type) -> None:
    column = column_of("n", value)
    assert type(column.type) is kind
    assert not column.primary_key
    assert column_of(ID, value).primary_key


@pytest.mark.parametrize(
    ("kind", "dialect", "value", "held"),
    [
        (Text(), POSTGRESQL, "007", "007"),
        (Text(), POSTGRESQL, 7, "7"),
        (Text(), SQLITE, True, "true"),
        (Text(), SQLITE, NOON, "2026-01-01T12:00:00+00:00"),
        (Boolean(), POSTGRESQL, True, True),
        (BigInteger(), POSTGRESQL, 7, 7),
        (BigInteger(), POSTGRESQL, 7.0, 7),
        (BigInteger(), SQLITE, 7.5, 7.5),
        (SmallInteger(), MYSQL, True, 1),
        (Double(), POSTGRESQL, 7, 7.0),
        (Double(), POSTGRESQL, 2**60, 2.0**60),
        (Numeric(), POSTGRESQL, 0.1 + 0.2, Decimal("0.30000000000000004")),
        (Numeric(), SQLITE, 0.1, 0.1),
        (Numeric(19, 0), MYSQL, 7, 7),
        (LargeBinary(), POSTGRESQL, "x", "x"),
    ],
)
def test_a_column_holds(kind: Any, dialect: Dialect, value: object, held: object) -> None:
    found = holder(Column("n", kind), dialect)(value)
    assert (type(found), found) == (type(held), held)


@pytest.mark.parametrize(
    ("kind", "dialect", "value", "what"),
    [
        (Boolean(), SQLITE, 1, "a whole number"),
        (BigInteger(), POSTGRESQL, 1.5, "a number"),
        (BigInteger(), POSTGRESQL, 2.0**63, "a number"),
        (BigInteger(), POSTGRESQL, True, "a truth value"),
        (BigInteger(), SQLITE, "7", "a text"),
        (BigInteger(), SQLITE, NOON, "a moment"),
        (Double(), SQLITE, 2**53 + 1, "a whole number"),
        (Double(), SQLITE, True, "a truth value"),
        (Double(), SQLITE, "1.5", "a text"),
        (Numeric(), POSTGRESQL, "1.5", "a text"),
        (Numeric(), SQLITE, "1.5", "a text"),
        (Numeric(19, 0), MYSQL, 1.5, "a number"),
    ],
)
def test_a_column_would_change(kind: Any, dialect: Dialect, value: object, what: str) -> None:
    with pytest.raises(ValueError, match=f"^{what} would be changed$"):
        holder(Column("n", kind), dialect)(value)


def test_only_own_columns_of_whole_numbers_become_wider() -> None:
    own = Column("n", BigInteger())
    assert widens(own, [1, None, 1.5], POSTGRESQL)
    assert widens(own, [2.0**63], POSTGRESQL)
    assert not widens(own, [1, 2.0, True, "x", None], POSTGRESQL)
    assert not widens(own, [1.5], SQLITE)
    assert not widens(Column("n", Integer()), [1.5], POSTGRESQL)
    assert not widens(Column("n", Double()), [2**60 + 1], POSTGRESQL)
