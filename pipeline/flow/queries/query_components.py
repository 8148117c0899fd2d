"""Which queries and sets of contexts wait for which: those that wait for each other are answered together.

A query waits for those whose output it reads, and for the sets in whose contexts it is or whose changes it reads; a set
waits for the queries that derive it.
Source: strongly connected components (Tarjan, Depth-first search and linear graph algorithms, 1972).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["QueryComponent", "Waiting", "components_of"]


class Waiting(NamedTuple):
    """Something that is answered: a query by its label, or a set of contexts by its name."""

    name: str
    is_set: bool


@dataclass(frozen=True, slots=True)
class QueryComponent:
    """What is answered together.

    Attributes:
        labels: queries, in the order of their registration.
        sets: of contexts.
        depth: 0, or more than that of everything that it waits for.
    """

    labels: tuple[str, ...]
    sets: tuple[str, ...]
    depth: int

    @property
    def circular(self) -> bool:
        """Whether queries in it are in contexts that queries in it derive, or read what rules emit for their rows."""
        return bool(self.labels and self.sets) or len(self.labels) > 1


def components_of(waits: Mapping[Waiting, Collection[Waiting]]) -> list[QueryComponent]:
    """The components, each after those that it waits for.

    Args:
        waits: of each query and each set what it waits for; queries in the order of their registration.
    """
    order = {node: place for place, node in enumerate(waits)}
    depths: dict[Waiting, int] = {}
    found = []
    for members in _Search(waits).components:
        before = [depths[other] for node in members for other in waits[node] if other in depths]
        depth = 1 + max(before, default=-1)
        depths |= dict.fromkeys(members, depth)
        ordered = sorted(members, key=order.__getitem__)
        labels = tuple(node.name for node in ordered if not node.is_set)
        found.append(QueryComponent(labels, tuple(node.name for node in ordered if node.is_set), depth))
    return sorted(found, key=lambda component: component.depth)


class _Search:
    """Tarjan's search; `components` come in an order in which none waits for a later one."""

    def __init__(self, waits: Mapping[Waiting, Collection[Waiting]]) -> None:
        self._waits = waits
        self._places: dict[Waiting, int] = {}
        self._lowest: dict[Waiting, int] = {}
        self._path: list[Waiting] = []
        self.components: list[Sequence[Waiting]] = []
        for node in waits:
            if node not in self._places:
                self._visit(node)

    def _visit(self, node: Waiting) -> None:
        place = len(self._places)
        self._places[node] = self._lowest[node] = place
        self._path.append(node)
        for other in self._waits[node]:
            if other not in self._waits:
                continue
            if other not in self._places:
                self._visit(other)
                self._lowest[node] = min(self._lowest[node], self._lowest[other])
            elif other in self._path:
                self._lowest[node] = min(self._lowest[node], self._places[other])
        if self._lowest[node] == place:
            start = self._path.index(node)
            self.components.append(self._path[start:])
            del self._path[start:]
