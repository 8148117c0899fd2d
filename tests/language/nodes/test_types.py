"""The types of values, the XSD datatypes that they stand for, and attributes by their names."""

from __future__ import annotations

import pytest
from kaicep.language.nodes import XSD, ValueType, is_individual, named_attribute, type_of_datatype
from support.roads import CALLS, SENSORS
from support.vocabulary import iri


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


def test_an_attribute_is_found_by_name_property_and_alias() -> None:
    segment = CALLS.attributes[1]
    assert [named_attribute(CALLS, name) for name in ("segment", "seg", iri("bd:floor"))] == [segment] * 3
    assert named_attribute(CALLS, "lane") is None


def test_an_attribute_with_a_property_may_stand_for_individuals() -> None:
    assert [is_individual(attribute) for attribute in SENSORS.attributes] == [False, True, False, False]
