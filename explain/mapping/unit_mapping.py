"""How many of the ids in the events say in which unit they measure, of each attribute that asks them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...annotator import Annotator
from ...ontology import KnowledgeBase
from ...pipeline.profile import StreamProfile

__all__ = ["UnitMapping", "map_units"]


@dataclass(frozen=True, slots=True)
class UnitMapping:
    """The units of one attribute with `unit_of`.

    Attributes:
        attribute: its name.
        unit: its own, as an IRI: what readings count as whose individual says none.
        saying: how many distinct ids the knowledge gives a unit.
        distinct: how many distinct ids the events have.
    """

    attribute: str
    unit: str
    saying: int
    distinct: int


def map_units(annotator: Annotator, profile: StreamProfile, knowledge: KnowledgeBase) -> Iterator[UnitMapping]:
    """Count the ids of each attribute with `unit_of` that say their unit; of no events nothing is counted.

    Args:
        annotator: of the stream.
        profile: what its events hold.
        knowledge: says in which unit an individual measures.
    """
    for attribute in annotator.annotation.attributes:
        if attribute.unit_of is None or attribute.unit is None:
            continue
        found = profile.individuals.get(attribute.unit_of, {})
        distinct = len(found) + len(profile.unnamed.get(attribute.unit_of, {}))
        if distinct:
            saying = sum(iri in knowledge.measured_in for iri in found)
            yield UnitMapping(attribute.name, attribute.unit, saying, distinct)
