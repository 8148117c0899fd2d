"""Attributes of streams, by their names, their properties and what means the same."""

from __future__ import annotations

from kaicep.language.nodes import is_individual, named_attribute
from support.roads import CALLS, SENSORS
from support.vocabulary import iri


def test_an_attribute_is_found_by_name_property_and_alias() -> None:
    segment = CALLS.attributes[1]
    assert [named_attribute(CALLS, name) for name in ("segment", "seg", iri("bd:floor"))] == [segment] * 3
    assert named_attribute(CALLS, "lane") is None


def test_an_attribute_with_a_property_may_stand_for_individuals() -> None:
    assert [is_individual(attribute) for attribute in SENSORS.attributes] == [False, True, False, False]
