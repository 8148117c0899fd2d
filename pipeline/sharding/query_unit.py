"""Registered queries in units: what has to be answered together, and in how many shards."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ...language.nodes import Kind, Query
from ..flow import Registration
from .keys import ShardKey, UnitKey, common_key, is_calendar, sharding_key, why_one_shard, why_one_shard_together

__all__ = ["QueryUnit", "units_of"]


@dataclass(frozen=True, slots=True)
class QueryUnit:
    """Queries that are answered in one place, shard by shard.

    Attributes:
        registrations: in the order of their registration.
        key: by what the candidates of its query are dealt to shards, or the events of its queries; `None`: it has one
            shard.
        single: it is one query that reads source streams alone: what it is given is found where records are read.
            Others are given events, and answer each other there.
        name: the label of a single query; of others one that no query has, which they keep whoever comes and goes.
    """

    registrations: tuple[Registration, ...]
    key: ShardKey | UnitKey | None
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
    def by_event(self) -> bool:
        """Whether it looks at each event by itself: a shard is given the events of some splits, whatever they are."""
        return self.single and self.key is not None and self.registrations[0].query.kind is Kind.SELECTION

    @property
    def why_one(self) -> str | None:
        """Why it has one shard, in words; `None`: it may have several."""
        queries = {registration.label: registration.query for registration in self.registrations}
        if self.key is not None:
            return None
        if any(registration.watched for registration in self.registrations):
            return "its state is asked for"
        return why_one_shard(queries[self.name]) if self.single else why_one_shard_together(queries)

    @property
    def streams(self) -> frozenset[str]:
        """The streams that its queries read, those that they form among them."""
        return frozenset(s.stream.name for r in self.registrations for s in r.query.sources)


def units_of(
    registrations: Sequence[Registration], kept: Mapping[str, str] = MappingProxyType({}), *, changing: bool = False
) -> tuple[QueryUnit, ...]:
    """Cut queries where none reads what others give, or changes contexts that others speak of, and no rule acts.

    All rules are in one unit: what they do is done in their common order. Of calendars everybody knows what they say.

    Args:
        registrations: each after those whose output it reads.
        kept: by label, the unit of those that have answered each other so far, and go on to.
        changing: queries come and go. By what several are cut follows from all of them, and shards of one cut say
            nothing about those of another: so they have one shard.
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
        units.append(_unit([registrations[place] for place in places], kept, taken, changing=changing))
    return tuple(units)


def _ties(query: Query, given: Collection[str]) -> Iterator[str]:
    """What a query has in common with those that it cannot be parted from: all that read a stream that one gives.

    Streams of the project alone are read by any number of queries that have nothing to do with each other.
    """
    streams = {*query.streams, *(source.stream.name for source in query.sources)}
    yield from (f"stream {name}" for name in streams if name in given)
    yield from (f"contexts {each.name}" for each in query.context_sets if not is_calendar(each))
    if query.rule is not None:
        yield "rules"


def _unit(
    registrations: Sequence[Registration], kept: Mapping[str, str], taken: Collection[str], *, changing: bool
) -> QueryUnit:
    first = registrations[0]
    query = first.query
    names = sorted({kept[one.label] for one in registrations if one.label in kept})
    apart = len(registrations) == 1 and not names
    if apart and query.rule is None and not query.context_sets and not first.watched:
        return QueryUnit(tuple(registrations), sharding_key(query), single=True, name=first.label)
    name = f"{first.label}+"
    while name in taken:
        name += "+"
    whole = changing or any(registration.watched for registration in registrations)
    key = None if whole else common_key([registration.query for registration in registrations])
    return QueryUnit(tuple(registrations), key, single=False, name=names[0] if names else name)
