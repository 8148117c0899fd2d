"""Expressions: names looked up, types agreed."""

from __future__ import annotations

import pytest
from kaicep.language.nodes import ValueType
from support.vocabulary import TWO_STREAMS, compiled


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("?e.battery + 1", ValueType.INTEGER),
        ("?e.battery / 2", ValueType.DOUBLE),
        ("?e.battery * 2.0", ValueType.DOUBLE),
        ("?e.battery % 2", ValueType.INTEGER),
        ("-?e.celsius", ValueType.DOUBLE),
        ("?e.timestamp - ?e.timestamp", ValueType.DURATION),
        ("?e.timestamp - 5min", ValueType.DATETIME),
        ("5min + ?e.timestamp", ValueType.DATETIME),
        ("5min * 2", ValueType.DURATION),
        ("5min / 2min", ValueType.DOUBLE),
        ("-5min", ValueType.DURATION),
        ("?e.valid OR ?e.battery > 5", ValueType.BOOLEAN),
        ("IF(?e.valid, 1, 2.5)", ValueType.DOUBLE),
        ("COALESCE(?e.battery, 5)", ValueType.INTEGER),
        ("SECONDS(?e.timestamp)", ValueType.DOUBLE),
        ("YEAR(?e.timestamp)", ValueType.INTEGER),
        ("STRLEN(?e.sensorID)", ValueType.INTEGER),
        ("STR(?e.battery)", ValueType.STRING),
        ("ABS(?e.battery)", ValueType.INTEGER),
        ("?n + 1", ValueType.DOUBLE),
        ("ee:D105", ValueType.IRI),
        ('"x"@en', ValueType.TERM),
    ],
)
def test_types_of_expressions(expression: str, expected: ValueType) -> None:
    text = f"SELECT {expression} AS x FROM (?e, temperatureReport) PATH {{?e bd:note ?n}}"
    assert compiled(text, TWO_STREAMS).items[0].type is expected
