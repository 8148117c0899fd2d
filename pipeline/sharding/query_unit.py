"""Registered queries in units: what has to be answered together, and in how many shards."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ...language.nodes import Query
from ..flow import Registration
from .shard_key import ShardKey, sharding_key

__all__ = ["QueryUnit", "units_of"]


@dataclass(frozen=True, slots=True)
class QueryUnit:
    """Queries that are answered in one place, shard by shard.

    Attributes:
        registrations: in the order of their registration.
        key: by what its events are dealt to shards; `None`: it has one shard.
        single: it is one query that reads source streams alone: what it is given is found where records are read.
            Others are given events, and answer each other there.
        name: the label of a single query; of others one that no query has, which they keep whoever comes and goes.
    """

    registrations: tuple[Registration, ...]
    key: ShardKey | None
    single: bool
    name: str

    @property
    def labels(self) -> tuple[str, ...]:
        """What its queries are called."""
        return tuple(registration.label for registration in self.registrations)

    def shards(self, most: int) -> int:
        """How many shards it has, where there may be so many."""
        return 1 if self.key is None else most

    @property
    def streams(self) -> frozenset[str]:
        """The streams that its queries read, those that they form among them."""
        return frozenset(s.stream.name for r in self.registrations for s in r.query.sources)


def units_of(
    registrations: Sequence[Registration], kept: Mapping[str, str] = MappingProxyType({})
) -> tuple[QueryUnit, ...]:
    """Cut queries where none reads what others give, no set of contexts is spoken of on both sides, and no rule acts.

    All rules are in one unit: what they do is done in their common order.

    Args:
        registrations: each after those whose output it reads.
        kept: by label, the unit of those that have answered each other so far, and go on to.
    """
    given = {name for registration in registrations for name in registration.query.streams}
    groups: list[tuple[frozenset[str], list[int]]] = []
    for place, registration in enumerate(registrations):
        unit = kept.get(registration.label)
        ties = frozenset([*_ties(registration.query, given), *([] if unit is None else [f"unit {unit}"])])
        joined = [group for group in groups if group[0] & ties]
        apart = [group for group in groups if not group[0] & ties]
        places = sorted([place, *(p for _, places in joined for p in places)])
        groups = [*apart, (ties.union(*(known for known, _ in joined)), places)]
    found = sorted(places for _, places in groups)
    units: list[QueryUnit] = []
    for places in found:
        taken = {*kept.values(), *(unit.name for unit in units)}
        units.append(_unit([registrations[place] for place in places], kept, taken))
    return tuple(units)


def _ties(query: Query, given: Collection[str]) -> Iterator[str]:
    """What a query has in common with those that it cannot be parted from: all that read a stream that one gives.

    Streams of the project alone are read by any number of queries that have nothing to do with each other.
    """
    streams = {*query.streams, *(source.stream.name for source in query.sources)}
    yield from (f"stream {name}" for name in streams if name in given)
    yield from (f"contexts {each.name}" for each in query.context_sets)
    if query.rule is not None:
        yield "rules"


def _unit(registrations: Sequence[Registration], kept: Mapping[str, str], taken: Collection[str]) -> QueryUnit:
    first = registrations[0]
    query = first.query
    names = sorted({kept[one.label] for one in registrations if one.label in kept})
    apart = len(registrations) == 1 and not names
    if apart and query.rule is None and not query.context_sets and not first.watched:
        return QueryUnit(tuple(registrations), sharding_key(query), single=True, name=first.label)
    name = f"{first.label}+"
    while name in taken:
        name += "+"
    return QueryUnit(tuple(registrations), None, single=False, name=names[0] if names else name)
