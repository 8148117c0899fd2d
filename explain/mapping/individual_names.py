"""The individuals of a knowledge base by their names, as people and exports write them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cached_property

from pyoxigraph import Literal, NamedNode

from ...ontology import KnowledgeBase, local_name, select

__all__ = ["IndividualNames", "namespace"]

_SUBJECTS = "SELECT DISTINCT ?x { ?x a ?c FILTER (ISIRI(?x)) }"
_LITERALS = "SELECT DISTINCT ?p ?v { ?x ?p ?v FILTER (ISLITERAL(?v)) }"
_MOST_COMPARED = 5_000
_NEAREST = 3
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def namespace(iri: str) -> str:
    """What stands before the local name."""
    return iri[: len(iri) - len(local_name(iri))]


class IndividualNames:
    """Finds individuals by what is like their name; read when it is first asked.

    Args:
        knowledge: whose individuals, classes and properties left out.
    """

    def __init__(self, knowledge: KnowledgeBase) -> None:
        self.knowledge = knowledge

    @cached_property
    def iris(self) -> tuple[str, ...]:
        """All individuals that have an IRI."""
        found = (x.value for (x,) in select(self.knowledge.store, _SUBJECTS) if isinstance(x, NamedNode))
        known = self.knowledge
        return tuple(sorted(iri for iri in found if not known.is_class(iri) and not known.is_property(iri)))

    @cached_property
    def namespaces(self) -> Counter[str]:
        """How many individuals each namespace has."""
        return Counter(namespace(iri) for iri in self.iris)

    def below(self, prefix: str) -> list[str]:
        """What stands behind `prefix` in the IRIs of individuals that begin with it."""
        return [iri[len(prefix) :] for iri in self.iris if iri.startswith(prefix)]

    def namespace_of(self, names: Iterable[str], *, ignore_case: bool = False) -> tuple[str, int] | None:
        """The namespace in which most of these names are local names, and how many are; `None`: none is."""
        known = self._folded_homes if ignore_case else self._homes
        homes = Counter(home for name in names for home in known.get(name.casefold() if ignore_case else name, ()))
        return homes.most_common(1)[0] if homes else None

    def property_of(self, values: Iterable[str], *, ignore_case: bool = False) -> tuple[str, int] | None:
        """The property of which most of these literals are values, labels last, and how many are; `None`: of none."""
        found: Counter[str] = Counter()
        for value in values:
            if ignore_case:
                found.update(self._folded_values.get(value.casefold(), ()))
                continue
            quads = self.knowledge.store.quads_for_pattern(None, None, Literal(value))
            found.update({quad.predicate.value for quad in quads})
        best = max(found, key=lambda prop: (found[prop], prop != _LABEL, prop), default=None)
        return None if best is None else (best, found[best])

    @cached_property
    def _homes(self) -> Mapping[str, set[str]]:
        """Local name → the namespaces that have an individual of that name."""
        homes: dict[str, set[str]] = {}
        for iri in self.iris:
            homes.setdefault(local_name(iri), set()).add(namespace(iri))
        return homes

    @cached_property
    def _folded_homes(self) -> Mapping[str, set[str]]:
        """The same by the local name in lower case."""
        folded: dict[str, set[str]] = {}
        for name, spaces in self._homes.items():
            folded.setdefault(name.casefold(), set()).update(spaces)
        return folded

    @cached_property
    def _folded_values(self) -> Mapping[str, set[str]]:
        """Text of a literal in lower case → the properties of which it is a value."""
        found: dict[str, set[str]] = {}
        for prop, value in select(self.knowledge.store, _LITERALS):
            if isinstance(prop, NamedNode):
                found.setdefault(value.value.casefold(), set()).add(prop.value)
        return found


class NearestNames:
    """Names that are like others: the same letters first, then those that differ little.

    Args:
        known: the names that there are.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = sorted(set(known))
        self._alike: dict[str, list[str]] = {}
        for name in self._known:
            self._alike.setdefault(_letters(name), []).append(name)

    def of(self, name: str) -> tuple[str, ...]:
        """The nearest few."""
        alike = self._alike.get(_letters(name))
        if alike and _letters(name):
            return tuple(alike[:_NEAREST])
        if len(self._known) > _MOST_COMPARED:
            return ()
        return tuple(get_close_matches(name, self._known, n=_NEAREST, cutoff=0.6))


def _letters(name: str) -> str:
    """A name without case, separators and leading zeros of numbers."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", re.sub(r"[\W_]+", "", name).casefold())
