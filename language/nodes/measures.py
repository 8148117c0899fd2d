"""Units of measure as QUDT defines them, products of units, and exact conversion between them.

A value `v` of a unit is `(v + offset) · multiplier` in the SI unit of its dimension. Source: QUDT 3, `qudt:Unit`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Conversion", "Unit"]

_EXPONENT = re.compile(r"([AELIMHTD])(-?\d+)(?:(?:dot|pt)(\d+))?")
_KINDS = "AELIMHTD"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, or a product of units.

    Attributes:
        iri: its name; `None` for a product.
        dimension: the exponents of QUDT's dimension vector; `None`: nobody says what it measures.
        multiplier: how many SI units it is.
        offset: what is added to a value before it is multiplied, as for degrees Celsius.
    """

    iri: str | None
    dimension: tuple[Fraction, ...] | None = None
    multiplier: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)

    @classmethod
    def of(cls, iri: str, multiplier: str, vector: str, offset: str = "0") -> Unit | None:
        """A unit by the texts that QUDT has for it; `None` when these are none that one can convert by.

        Args:
            iri: of the unit.
            multiplier: `qudt:conversionMultiplier`.
            vector: name of its `qudt:hasDimensionVector`: `A0E0L3I0M0H0T-1D0`.
            offset: `qudt:conversionOffset`.
        """
        parts = {kind: Fraction(f"{whole}.{rest or 0}") for kind, whole, rest in _EXPONENT.findall(vector)}
        try:
            scale, shift = Fraction(multiplier), Fraction(offset)
        except (ValueError, ZeroDivisionError):
            return None
        if scale <= 0 or parts.keys() != set(_KINDS):
            return None
        return cls(iri, tuple(parts[kind] for kind in _KINDS), scale, shift)

    def times(self, other: Unit, power: int = 1) -> Unit | None:
        """The product with another unit, or the quotient with `power` -1; `None` when it means nothing."""
        if self.dimension is None or other.dimension is None or self.offset or other.offset:
            return None
        exponents = [a + power * b for a, b in zip(_plain(self.dimension), _plain(other.dimension), strict=True)]
        return Unit(None, _pure(exponents), self.multiplier * other.multiplier**power)

    def to(self, other: Unit) -> Conversion | None:
        """The conversion of its values to another unit; `None` when that measures something else."""
        if self.dimension is None or self.dimension != other.dimension:
            return None
        factor = self.multiplier / other.multiplier
        return Conversion(factor, self.offset * factor - other.offset)


@dataclass(frozen=True, slots=True)
class Conversion:
    """`v · factor + offset`."""

    factor: Fraction
    offset: Fraction

    @property
    def idle(self) -> bool:
        """Whether it changes nothing."""
        return self.factor == 1 and not self.offset

    def apply(self, value: Fraction, points: Fraction) -> Fraction:
        """The converted value; `points` as in `unit_agreement.Measure`."""
        return value * self.factor + points * self.offset


def _plain(dimension: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Without the mark of what has no dimension: a percentage of a power is a power."""
    return (*dimension[:-1], Fraction(0)) if not any(dimension[:-1]) else dimension


def _pure(exponents: list[Fraction]) -> tuple[Fraction, ...]:
    return (*exponents[:-1], Fraction(1)) if not any(exponents[:-1]) else tuple(exponents)
