"""Individuals that measure in units of their own: their values are brought to the unit of the attribute.

Which unit that is, and how it is converted, is found once per individual; values are converted as columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
from pyoxigraph import NamedNode

from ..config import AttributeSettings
from ..errors import AnnotationError
from ..language.nodes import Conversion, Unit
from ..ontology import KnowledgeBase, shown
from .linking import EntityLinker

__all__ = ["UnitConverter", "check_unit_sources"]

Way = Conversion | str | None
"""How values are converted; `None`: not at all; text: why they cannot be."""
Refuse = Callable[[str, str, str | None], AnnotationError]


def check_unit_sources(declared: Mapping[str, AttributeSettings], refuse: Refuse) -> None:
    """Check what `unit_of` and `value_of` of a stream's attributes name.

    Args:
        declared: the attributes.
        refuse: makes the error of a key, a message and a hint.

    Raises:
        AnnotationError: there is no such attribute, or it cannot serve.
    """
    for name, a in declared.items():
        key = f"attributes.{name}"
        if a.unit_of is not None:
            by = declared.get(a.unit_of, AttributeSettings())
            if by.individual is None and by.key is None:
                message = f"unit_of: '{a.unit_of}' is no attribute that stands for individuals"
                raise refuse(key, message, "name the attribute of what measures, with 'individual' or 'key'")
            if a.unit is None:
                raise refuse(key, "unit_of says what values are converted from, not to", "add unit = …")
        if a.value_of is not None:
            _check_value_of(key, a, declared.get(a.value_of), refuse)


def _check_value_of(key: str, a: AttributeSettings, of: AttributeSettings | None, refuse: Refuse) -> None:
    if of is None:
        raise refuse(key, f"value_of: '{a.value_of}' is no declared attribute", "declare it, with its datatype")
    if a.unit_of is None:
        raise refuse(key, "value_of takes values that are converted, and nothing says from what", "add unit_of = …")
    if of.unit is not None or of.unit_of is not None or of.value_of is not None:
        raise refuse(key, f"value_of: '{a.value_of}' has a unit already", "drop its unit: each value has its own")


@dataclass(frozen=True, slots=True)
class ConvertedColumn:
    """A column in its attribute's unit.

    Attributes:
        values: null where there was nothing, and where it cannot be converted.
        reasons: per row why it cannot be converted, null where it can; `None`: everywhere it can.
    """

    values: pl.Series
    reasons: pl.Series | None


class UnitConverter:
    """How the values of individuals are brought to one unit.

    Args:
        knowledge: says in which unit an individual measures; of those of which it does not, values stay as they are.
        unit: IRI of the unit to convert to.
    """

    def __init__(self, knowledge: KnowledgeBase, unit: str) -> None:
        self._knowledge = knowledge
        self._iri = unit
        self._to = knowledge.unit(unit) or Unit(unit)
        self._known: dict[str, Way] = {}

    def of(self, individual: str) -> Way:
        """How an individual's values are converted."""
        if individual not in self._known:
            self._known[individual] = self._found(individual)
        return self._known[individual]

    def convert(self, name: str, values: pl.Series, individuals: pa.DictionaryArray) -> ConvertedColumn:
        """Convert a column.

        Args:
            name: of the attribute, for messages.
            values: Float64.
            individuals: what measured each value; null: nobody knows, and the value stays as it is.
        """
        ways = [None if iri is None else self.of(iri) for iri in individuals.dictionary.to_pylist()]
        if not any(ways):
            return ConvertedColumn(values, None)
        ways.append(None)  # of what stands for no individual
        places = individuals.indices.fill_null(len(ways) - 1).to_numpy(zero_copy_only=False)
        return _converted(name, values, ways, places)

    def complaint(self, linker: EntityLinker) -> tuple[str, str] | None:
        """That the knowledge says of no individual in which unit it measures, and what to do; `None`: it does of some.

        Args:
            linker: finds the individuals that measure.
        """
        measuring = linker.known().values()
        if not measuring or any(iri in self._knowledge.measured_in for iri in measuring):
            return None
        unit = shown(NamedNode(self._iri), self._knowledge.prefixes)
        message = f"unit_of: 0 of {len(measuring):,} individuals say their unit: all readings count as {unit}"
        return message, "give them units with qudt:hasUnit or brick:hasUnit, or tell them apart by class in a PATH"

    def differing(self, other: UnitConverter) -> int:
        """How many individuals are converted in another way by other knowledge."""
        named = self._knowledge.measured_in.keys() | other._knowledge.measured_in.keys()
        return sum(self.of(individual) != other.of(individual) for individual in named)

    def _found(self, individual: str) -> Way:
        units = sorted(self._knowledge.measured_in.get(individual, ()))
        if not units or self._to.iri in units:
            return None
        ways = {way for iri in units if (way := self._way(iri)) is not None}
        if len(ways) == 1:
            (way,) = ways
            return None if way.idle else way
        shown = " and ".join(f"<{iri}>" for iri in units)
        fault = f"are converted to <{self._to.iri}> differently" if ways else f"cannot be converted to <{self._to.iri}>"
        return f"<{individual}> measures in {shown}, which {fault}"

    def _way(self, iri: str) -> Conversion | None:
        unit = self._knowledge.unit(iri)
        return None if unit is None else unit.to(self._to)


def _converted(name: str, values: pl.Series, ways: list[Way], places: np.ndarray) -> ConvertedColumn:
    """A column in the attribute's unit; `places` says which of `ways` is each value's."""
    factors, offsets = (
        np.array([float(getattr(way, part)) if isinstance(way, Conversion) else idle for way in ways])
        for part, idle in (("factor", 1.0), ("offset", 0.0))
    )
    refused = pl.Series([f"{name}: {way}" if isinstance(way, str) else None for way in ways], dtype=pl.String)
    scaled = values * pl.Series(factors[places]) + pl.Series(offsets[places])
    kept = pl.Series(np.array([way is None for way in ways])[places])  # -0.0 + 0.0 would be another number
    reasons = pl.select(pl.when(values.is_not_null()).then(refused.gather(places))).to_series()
    converted = pl.select(pl.when(kept).then(values).when(reasons.is_null()).then(scaled)).to_series()
    return ConvertedColumn(converted, reasons if reasons.null_count() < len(reasons) else None)
