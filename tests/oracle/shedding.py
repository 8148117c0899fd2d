"""Queries that look at a share of the events of source streams: which ones (docs/decisions/261)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kaicep.config import Settings
from kaicep.language.nodes import Query

_BASE = 0x9E3779B97F4A7C15
_WORD = 2**64


def is_looked_at(event: str, share: float) -> bool:
    """Whether the number that an event's id stands for is among the smallest ones."""
    number = 0
    text = event.encode()
    for place in reversed(range(0, len(text), 8)):
        number = (number * _BASE + int.from_bytes(text[place : place + 8], "little")) % _WORD
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % _WORD
    number = (number ^ number >> 27) * 0x94D049BB133111EB % _WORD
    return (number ^ number >> 31) < int(share * _WORD)


def shares(queries: Sequence[Query], settings: Settings) -> Mapping[int, float]:
    """By the identity of a query of a document, the share of the events that it looks at; deriving ones look at all."""
    found = {}
    for position, query in enumerate(queries, 1):
        if query.change is not None:
            continue
        share = settings.queries.service(query.called or f"query-{position}").shed
        if share is not None:
            found[id(query)] = share
    return found


def behind(queries: Sequence[Query], own: Mapping[int, float]) -> Mapping[int, float]:
    """By the identity of a query, the least share that it looks at or one that decides about its rows, if any does."""
    found = dict(own)
    for _ in queries:
        for query in queries:
            read = {source.stream.name for source in query.sources}
            sets = {f"CONTEXTS({name})" for name in (query.in_context.sets if query.in_context else ())} | read
            shares = [found[id(other)] for other in queries if id(other) in found and sets & _given(other)]
            shares += [found[id(query)]] if id(query) in found else []
            if shares:
                found[id(query)] = min(shares)
    return found


def _given(query: Query) -> set[str]:
    """The streams that a query decides about."""
    return {*query.streams, *(f"CONTEXTS({name})" for name in query.changed_sets)}
