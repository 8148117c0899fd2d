"""Literals by their datatype, or as their text where that does not fit; columns have the type of their values."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pyarrow as pa
import pyoxigraph as ox
import pytest
from kaicep.archive.sparql.sparql_values import arrow_columns, python_value

XSD = "http://www.w3.org/2001/XMLSchema#"
NINE = datetime(2012, 5, 7, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lexical", "datatype", "value"),
    [
        ("7", "int", 7),
        ("+7", "integer", 7),
        ("1.5", "decimal", 1.5),
        ("-INF", "double", -math.inf),
        ("true", "boolean", True),
        ("0", "boolean", False),
        ("2012-05-07T09:00:00", "dateTime", NINE),
        ("2012-05-07T11:00:00+02:00", "dateTime", NINE),
        ("2012-05-07T09:00:00.1234567Z", "dateTime", NINE.replace(microsecond=123456)),
        ("-5000-01-01T00:00:00Z", "dateTime", "-5000-01-01T00:00:00Z"),
        ("seven", "integer", "seven"),
        ("maybe", "boolean", "maybe"),
        ("P1D", "duration", "P1D"),
        ('"q"\n\\', "string", '"q"\n\\'),
    ],
)
def test_literals_become_python_values(lexical: str, datatype: str, value: object) -> None:
    found = python_value(ox.Literal(lexical, datatype=ox.NamedNode(XSD + datatype)))
    assert found == value
    assert type(found) is type(value)


def test_nan_other_terms_and_unbound() -> None:
    nan = python_value(ox.Literal("NaN", datatype=ox.NamedNode(f"{XSD}double")))
    assert isinstance(nan, float)
    assert math.isnan(nan)
    assert python_value(ox.BlankNode("b")) == "_:b"
    assert python_value(ox.Literal("chaud", language="fr")) == "chaud"
    assert python_value(None) is None


def test_a_table_has_a_column_per_variable() -> None:
    one = ox.Literal("1", datatype=ox.NamedNode(f"{XSD}integer"))
    table = arrow_columns({"n": [one, None], "who": [ox.NamedNode("http://e/a"), ox.Literal("b")]})
    assert table.schema == pa.schema([("n", pa.int64()), ("who", pa.string())])
    assert table.to_pydict() == {"n": [1, None], "who": ["http://e/a", "b"]}
