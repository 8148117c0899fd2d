"""Queries that are equal but for contexts and bounds: what their events are searched for, and found, once for all.

Outside of contexts it is bounds alone.

Each keeps a state, windows and rows of its own, so that it can come, go and fail by itself. They are given the events
in windows of any of their contexts: what lies in none of a query's own windows makes no row of it.
Source: CAESAR §5.3 (sharing of queries in overlapping context windows); docs/decisions/254, 255.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from threading import RLock
from typing import Any

from ....cep import CommonSteps, is_shared, key_of
from ....cep.contexts import EventRouter, SetWindows
from ....cep.joins import implied_filters
from ....cep.partitions import Bounds, is_loose, loose_form, loosest
from ....language.nodes import ContextReference, Query
from .candidates import CandidateSelection, ContextPlacing, Counts, EventBatch, Selected

__all__ = ["CommonCall", "bounds_of", "kin_of"]


def kin_of(query: Query) -> str | None:
    """What is equal of queries that are answered together; `None`: this one is answered by itself."""
    within = query.in_context
    if within is None:
        return _kin(query) if is_loose(query) else None
    if not (within.together and within.pushed_down and is_shared(query)):
        return None
    if any(EventRouter(query).needs_paths(source.variable) for source in query.sources):
        return None
    return _kin(query)


def _kin(query: Query) -> str:
    said = replace(
        loose_form(query).query, name=None, normal="", output=query.sources[0].stream, warnings=(), context_sets=()
    )
    within = query.in_context
    said = said if within is None else replace(said, in_context=replace(within, contexts=()))
    implied = {variable: key_of(filters) for variable, filters in implied_filters(query).items()}
    return sha256(repr((() if within is None else within.sets, key_of(said), implied)).encode()).hexdigest()


def bounds_of(query: Query) -> Bounds:
    """How tight a query is, for which there is `kin_of`, beside others that have the same."""
    return loose_form(query).bounds


class CommonCall:
    """One call of the operators of kindred queries, which are given the same.

    Attributes:
        steps: what they do once.

    Args:
        queries: two or more.
        events: what they are given.
        offered: see `CommonSteps`.
    """

    def __init__(
        self, queries: Sequence[Query], events: Mapping[str, EventBatch], offered: tuple[Hashable, Any] | None
    ) -> None:
        self.steps = CommonSteps(offered, loosest(map(bounds_of, queries)))
        first = queries[0]
        contexts = tuple(dict.fromkeys(c for query in queries for c in _contexts(query)))
        self._query = first
        if first.in_context is not None:
            self._query = replace(first, in_context=replace(first.in_context, contexts=contexts))
        self._events = events
        self._lock = RLock()
        self._placing: ContextPlacing | None = None
        self._found: dict[str, Selected] = {}
        self._counted: Sequence[Counts] = ()

    def candidates(
        self,
        sources: Sequence[CandidateSelection],
        sets: Mapping[str, SetWindows],
        columns: Mapping[str, Sequence[str]],
    ) -> tuple[dict[str, Selected], ContextPlacing]:
        """The candidates of all of them, and where these lie; found by the first that asks.

        Args:
            sources: what selects those of the query that asks; all have counted the same behind.
            sets: the sets of its contexts.
            columns: by stream, those that are looked at.
        """
        with self._lock:
            if self._placing is not None:
                for source, counts in zip(sources, self._counted, strict=True):
                    source.count(counts)
            else:
                self._placing = self._select(sources, sets, columns)
            return dict(self._found), self._placing

    def _select(
        self,
        sources: Sequence[CandidateSelection],
        sets: Mapping[str, SetWindows],
        columns: Mapping[str, Sequence[str]],
    ) -> ContextPlacing:
        placing = ContextPlacing(self._query)
        placing.begin(sets)
        before = [source.mark() for source in sources]
        for source in sources:
            variable, stream = source.source.variable, source.source.stream.name
            if stream in self._events:
                events = self._events[stream]
                placed = placing.placed(variable, events, columns[stream])
                found = source.candidates(events, placed)
                if found is not None:
                    self._found[variable] = found
        self._counted = [source.counted_since(mark) for source, mark in zip(sources, before, strict=True)]
        return placing


def _contexts(query: Query) -> tuple[ContextReference, ...]:
    return () if query.in_context is None else query.in_context.contexts
