"""Literals: their types, and the values that their text stands for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.nodes import (
    Constant,
    ValueType,
)
from support.vocabulary import compiled, iri


def test_quantities_keep_their_unit() -> None:
    [item] = compiled("SELECT 500 unit:FT3-PER-MIN AS most FROM (?e, airflowReport)").items
    assert isinstance(item.value, Constant)
    assert (item.value.value, item.value.unit) == (500, iri("unit:FT3-PER-MIN"))


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("5", 5, ValueType.INTEGER),
        ("-5e0", -5.0, ValueType.DOUBLE),
        ("true", True, ValueType.BOOLEAN),
        ("5min", timedelta(minutes=5), ValueType.DURATION),
        ("'a'", "a", ValueType.STRING),
        ('"1"^^xsd:boolean', True, ValueType.BOOLEAN),
        ('"7"^^xsd:byte', 7, ValueType.INTEGER),
        ('"7"^^xsd:decimal', 7.0, ValueType.DOUBLE),
        ('"2012-05-07T09:00:00+02:00"^^xsd:dateTime', datetime(2012, 5, 7, 7, tzinfo=UTC), ValueType.DATETIME),
        ('"PT90S"^^xsd:duration', timedelta(seconds=90), ValueType.DURATION),
        ('"a\\"b"@en', '"a\\"b"@en', ValueType.TERM),
        ("<urn:x>", "urn:x", ValueType.IRI),
    ],
)
def test_literals(text: str, value: object, kind: ValueType) -> None:
    [item] = compiled(f"SELECT {text} AS x FROM (?e, airflowReport)").items
    assert isinstance(item.value, Constant)
    assert (item.value.value, item.value.type) == (value, kind)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('"x"^^xsd:integer', "'x' is no xsd:integer", "it is no integer"),
        ('"yes"^^xsd:boolean', "'yes' is no xsd:boolean", "it is true or false"),
        ('"P1Y"^^xsd:duration', "'P1Y' is no xsd:duration", "it is no duration of days, hours, minutes and seconds"),
        (
            '"x"^^xsd:hexBinary',
            "values of datatype xsd:hexBinary cannot be compared",
            "use a string, a number, a boolean, a dateTime or a duration",
        ),
    ],
)
def test_texts_that_are_no_values(text: str, message: str, hint: str) -> None:
    with pytest.raises(QueryTypeError) as caught:
        compiled(f"SELECT {text} AS x FROM (?e, airflowReport)")
    assert (caught.value.message, caught.value.hint) == (message, hint)
