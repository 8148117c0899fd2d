"""What units are called: by their names in QUDT, symbols, UCUM codes, what people write, and names put together.

`unit:CFM`, `cfm`, `ft³/min` and `[cft_i]/min` are all `unit:FT3-PER-MIN`; `unit:MilliGM-PER-L` is a thousandth of a
gram in a litre, whether anybody has declared it or not. A name that could be units of different sizes is none of them.

Source: QUDT's rules for the names of units; Unified Code for Units of Measure 2.1, §2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from fractions import Fraction

from pyoxigraph import Literal, NamedNode, Store

from ..language.nodes import Unit
from .terms import RDFS

__all__ = ["UnitNames", "unit_labels"]

UNIT = "http://qudt.org/vocab/unit/"
_QUDT = "http://qudt.org/schema/qudt/"
_NAMED_BY = (
    *(NamedNode(f"{_QUDT}{name}") for name in ("symbol", "altSymbol", "ucumCode", "abbreviation")),
    NamedNode(RDFS + "label"),
    NamedNode("http://www.w3.org/2004/02/skos/core#altLabel"),
)
_PLAIN = str.maketrans({**dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)), **dict.fromkeys("·⋅*", "."), "μ": "µ"})
_FACTOR = re.compile(r"(?P<atom>[^\d./\s^][^./\s^]*?)\^?(?P<power>(?<!\d)-?\d{1,2})?")
_POWER = re.compile(r"(?P<base>.*?\D)(?P<power>\d{1,2})?")
_PER = "PER"
_PREFIXES = {
    "Peta": 15, "Tera": 12, "Giga": 9, "Mega": 6, "Kilo": 3, "Hecto": 2, "Deca": 1,
    "Deci": -1, "Centi": -2, "Milli": -3, "Micro": -6, "Nano": -9, "Pico": -12,
}  # fmt: skip
# QUDT's own names of one letter are others than the symbols: unit:T is a tesla, and no tonne.
_SHORTEST = 2
_ALIKE, _SURE, _CLEAR = 0.7, 0.88, 0.1


class UnitNames:
    """Finds units by what they are called.

    Args:
        units: by IRI.
        labels: IRI → what it is called beside its name.
    """

    def __init__(self, units: Mapping[str, Unit], labels: Mapping[str, Iterable[str]]) -> None:
        self._units = units
        self._exact: dict[str, set[str]] = {}
        self._folded: dict[str, set[str]] = {}
        for iri in units:
            for name in (iri.removeprefix(UNIT), *labels.get(iri, ())):
                self._exact.setdefault(_normal(name), set()).add(iri)
                self._folded.setdefault(_normal(name).casefold(), set()).add(iri)

    def find(self, name: str) -> Unit | None:
        """The unit of that name, symbol or UCUM code; in another case only if that leaves no choice."""
        normal = _normal(name)
        return self._only(self._exact.get(normal)) or self._only(self._folded.get(normal.casefold()))

    def meaning(self, iri: str) -> Unit | None:
        """The unit of an IRI below QUDT's `unit:` that nobody has declared: an alias, or put together of others."""
        name = iri.removeprefix(UNIT)
        if name == iri or len(name) < _SHORTEST:
            return None
        return self.find(name) or self._composed(iri)

    def nearest(self, name: str, dimension: tuple[Fraction, ...] | None) -> str | None:
        """IRI of the unit of a similar name; never one that measures something else.

        Args:
            name: what nobody has declared.
            dimension: of what is wanted; `None`: nobody knows, and nothing of another dimension may be similar.
        """
        wanted = _normal(name.removeprefix(UNIT)).casefold()
        near = [
            (SequenceMatcher(None, wanted, known).ratio(), min(iris))
            for known, iris in self._folded.items()
            if 2 * min(len(known), len(wanted)) >= _ALIKE * (len(known) + len(wanted))  # it is no more alike than that
        ]
        alike = sorted((n for n in near if n[0] >= _ALIKE), reverse=True)
        if dimension is not None:
            return next((iri for _, iri in alike if self._units[iri].dimension == dimension), None)
        if not alike:
            return None
        best, iri = alike[0]
        others = (ratio for ratio, other in alike if self._units[other].dimension != self._units[iri].dimension)
        return iri if best >= _SURE and best - next(others, 0.0) >= _CLEAR else None

    def _only(self, iris: set[str] | None) -> Unit | None:
        found = [self._units[iri] for iri in sorted(iris or ())]
        return found[0] if len({(u.dimension, u.multiplier, u.offset) for u in found}) == 1 else None

    def _composed(self, iri: str) -> Unit | None:
        """`A-B2-PER-C`: a product, divided by all that stands behind PER."""
        names = iri.removeprefix(UNIT).split("-")
        parts = [self._factor(name) for name in names if name != _PER]
        if len(names) - len(parts) > 1 or not parts or names[-1] == _PER:
            return None
        divided = names.index(_PER) if _PER in names else len(parts)
        product: Unit | None = Unit(None, (*(Fraction(0),) * 7, Fraction(1)))
        for place, part in enumerate(parts):
            product = None if product is None or part is None else product.times(part, 1 if place < divided else -1)
        return None if product is None else Unit(iri, product.dimension, product.multiplier)

    def _factor(self, name: str) -> Unit | None:
        """A declared unit, or a power of one, or of a decimal multiple of one; its degrees are differences."""
        found = _POWER.fullmatch(name)
        if UNIT + name in self._units or found is None:
            return self._base(name)
        base = self._base(found["base"])
        power = base
        for _ in range(1, int(found["power"] or 1)):
            power = None if power is None or base is None else power.times(base)
        return power

    def _base(self, name: str) -> Unit | None:
        prefix = next((p for p in _PREFIXES if name.startswith(p)), "") if UNIT + name not in self._units else ""
        found = self._units.get(UNIT + name.removeprefix(prefix))
        if found is None or found.dimension is None or any(name.removeprefix(prefix).startswith(p) for p in _PREFIXES):
            declared = self._units.get(UNIT + name)
            return None if declared is None else Unit(None, declared.dimension, declared.multiplier)
        return Unit(None, found.dimension, found.multiplier * Fraction(10) ** _PREFIXES.get(prefix, 0))


def unit_labels(store: Store) -> dict[str, frozenset[str]]:
    """What a store says that units are called: IRI → symbols, UCUM codes, labels."""
    found: dict[str, set[str]] = {}
    for prop in _NAMED_BY:
        for quad in store.quads_for_pattern(None, prop, None):
            if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal):
                found.setdefault(quad.subject.value, set()).add(quad.object.value)
    return {iri: frozenset(labels) for iri, labels in found.items()}


def _normal(name: str) -> str:
    """`m3/h`, `m³·h⁻¹` and `m3.h-1` as one text: factors in order, each with its power; no product: as it is."""
    plain = name.strip().translate(_PLAIN)
    factors, sign = [], 1
    for part in re.split(r"([./])", plain):
        if part in (".", "/"):
            sign = -1 if part == "/" else 1
            continue
        found = _FACTOR.fullmatch(part)
        if found is None:
            return plain
        factors.append((found["atom"], sign * int(found["power"] or 1)))
    return ".".join(f"{atom}{power}" for atom, power in sorted(factors))
