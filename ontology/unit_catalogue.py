"""Units of measure: those of QUDT that kaicep ships, and those that the knowledge declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Store

from ..language.nodes import Unit
from .terms import TYPE
from .unit_names import unit_labels

__all__ = ["UnitCatalogue", "is_declared", "measured_in", "shipped_units", "units_in"]

QUDT = "http://qudt.org/schema/qudt/"
_MULTIPLIER = NamedNode(QUDT + "conversionMultiplier")
_OFFSET = NamedNode(QUDT + "conversionOffset")
_UNIT = NamedNode(QUDT + "Unit")
_DIMENSION = NamedNode(QUDT + "hasDimensionVector")
_MEASURES_IN = (QUDT + "hasUnit", QUDT + "unit", "https://brickschema.org/schema/Brick#hasUnit")
_SHIPPED = Path(__file__).parent.parent / "ontologies" / "qudt"


@dataclass(frozen=True, slots=True)
class UnitCatalogue:
    """Units that are declared.

    Attributes:
        units: by IRI, those that can be converted.
        labels: IRI → what it is called: symbols, UCUM codes, labels.
        declared: IRIs of all units, also of those that cannot be converted, such as decibels.
    """

    units: Mapping[str, Unit]
    labels: Mapping[str, frozenset[str]]
    declared: frozenset[str]


@cache
def shipped_units() -> UnitCatalogue:
    """The units of `ontologies/qudt`."""
    store = Store()
    for path in sorted(_SHIPPED.glob("*.ttl")):
        store.load(path=path, format=RdfFormat.TURTLE)
    typed = (quad.subject for quad in store.quads_for_pattern(None, TYPE, _UNIT))
    declared = frozenset(subject.value for subject in typed if isinstance(subject, NamedNode))
    return UnitCatalogue(MappingProxyType(units_in(store)), MappingProxyType(unit_labels(store)), declared)


def is_declared(store: Store, iri: str) -> bool:
    """Whether a store says that something is a unit, or that somebody measures in it."""
    node = NamedNode(iri)
    patterns = [(node, TYPE, _UNIT), *((None, NamedNode(prop), node) for prop in _MEASURES_IN)]
    return any(next(store.quads_for_pattern(*pattern), None) for pattern in patterns)


def units_in(store: Store) -> dict[str, Unit]:
    """The units that a store says how to convert, by IRI."""
    found: dict[str, Unit] = {}
    for quad in store.quads_for_pattern(None, _MULTIPLIER, None):
        unit, multiplier = quad.subject, quad.object
        vector = _value(store, unit, _DIMENSION)
        if not isinstance(unit, NamedNode) or not isinstance(multiplier, Literal) or not isinstance(vector, NamedNode):
            continue
        offset = _value(store, unit, _OFFSET)
        shift = offset.value if isinstance(offset, Literal) else "0"
        made = Unit.of(unit.value, multiplier.value, vector.value.rpartition("/")[2], shift)
        if made is not None:
            found[unit.value] = made
    return found


def measured_in(store: Store, named: Callable[[str], Unit | None]) -> dict[str, frozenset[str]]:
    """The units in which a store says that individuals measure, by QUDT's and Brick's property: IRI → IRIs.

    Args:
        store: the closure.
        named: finds the unit of a literal (`"cfm"`); one that it does not know stays as it is.
    """
    found: dict[str, set[str]] = {}
    for prop in _MEASURES_IN:
        for quad in store.quads_for_pattern(None, NamedNode(prop), None):
            if isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode | Literal):
                unit = named(quad.object.value) if isinstance(quad.object, Literal) else None
                said = quad.object.value if unit is None or unit.iri is None else unit.iri
                found.setdefault(quad.subject.value, set()).add(said)
    return {individual: frozenset(units) for individual, units in found.items()}


def _value(store: Store, unit: object, prop: NamedNode) -> object:
    if not isinstance(unit, NamedNode | BlankNode):
        return None
    return next((quad.object for quad in store.quads_for_pattern(unit, prop, None)), None)
