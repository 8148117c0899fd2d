"""Registered queries in units: what has to be answered together, and in how many shards."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

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
    """

    registrations: tuple[Registration, ...]
    key: ShardKey | UnitKey | None
    single: bool

    @property
    def name(self) -> str:
        """The label of its first query."""
        return self.registrations[0].label

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


def units_of(registrations: Sequence[Registration]) -> tuple[QueryUnit, ...]:
    """Cut queries where none reads what others give, or changes contexts that others speak of, and no rule acts.

    All rules are in one unit: what they do is done in their common order. Of calendars everybody knows what they say.
    """
    given = {name for registration in registrations for name in registration.query.streams}
    groups: list[tuple[frozenset[str], list[int]]] = []
    for place, registration in enumerate(registrations):
        ties = frozenset(_ties(registration.query, given))
        joined = [group for group in groups if group[0] & ties]
        apart = [group for group in groups if not group[0] & ties]
        places = sorted([place, *(p for _, places in joined for p in places)])
        groups = [*apart, (ties.union(*(known for known, _ in joined)), places)]
    found = sorted(places for _, places in groups)
    return tuple(_unit([registrations[place] for place in places]) for places in found)


def _ties(query: Query, given: Collection[str]) -> Iterator[str]:
    """What a query has in common with those that it cannot be parted from: all that read a stream that one gives.

    Streams of the project alone are read by any number of queries that have nothing to do with each other.
    """
    streams = {*query.streams, *(source.stream.name for source in query.sources)}
    yield from (f"stream {name}" for name in streams if name in given)
    yield from (f"contexts {each.name}" for each in query.context_sets if not is_calendar(each))
    if query.rule is not None:
        yield "rules"


def _unit(registrations: Sequence[Registration]) -> QueryUnit:
    first = registrations[0]
    query = first.query
    single = len(registrations) == 1 and query.rule is None and not query.context_sets and not first.watched
    if single:
        return QueryUnit(tuple(registrations), sharding_key(query), single)
    watched = any(registration.watched for registration in registrations)
    key = None if watched else common_key([registration.query for registration in registrations])
    return QueryUnit(tuple(registrations), key, single)
