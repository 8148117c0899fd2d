"""The types of values, and the XSD datatypes that they stand for."""

from __future__ import annotations

import pytest
from kaicep.language.nodes import XSD, ValueType, type_of_datatype


@pytest.mark.parametrize(
    ("datatype", "kind"),
    [
        ("unsignedByte", ValueType.INTEGER),
        ("decimal", ValueType.DOUBLE),
        ("anyURI", ValueType.STRING),
        ("dateTimeStamp", ValueType.DATETIME),
        ("dayTimeDuration", ValueType.DURATION),
        ("boolean", ValueType.BOOLEAN),
        ("hexBinary", None),
    ],
)
def test_types_of_datatypes(datatype: str, kind: ValueType | None) -> None:
    assert type_of_datatype(XSD + datatype) is kind


def test_arithmetic_is_for_numbers() -> None:
    assert [kind for kind in ValueType if kind.numeric] == [ValueType.INTEGER, ValueType.DOUBLE]
