"""By which values queries are cut that share contexts or streams: all of them by the same ones.

A query in contexts, those that change these, and those whose rows they read are one place's business for each value of
the key. Calendars are known in every shard.
Source: CAESAR §4.1, contexts by partition; docs/decisions/332.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....language.nodes import Query
from .key_claims import KeyClaim, claims_of, is_calendar, why_unclaimed

__all__ = ["UnitKey", "common_key", "why_one_shard_together"]


@dataclass(frozen=True, slots=True)
class UnitKey:
    """By what the events of several queries are dealt to shards.

    Attributes:
        columns: by source stream, the columns of its events; the same number of each.
    """

    columns: Mapping[str, tuple[str, ...]]

    @property
    def text(self) -> str:
        """The columns, for people."""
        return ", ".join(f"{name} of {stream}" for stream, names in self.columns.items() for name in names)


def common_key(queries: Sequence[Query]) -> UnitKey | None:
    """By what queries are cut that are answered together; `None`: they have one shard (`why_one_shard_together`)."""
    given = _given(queries)
    if any(why_unclaimed(query, given) for query in queries):
        return None
    claims = [tuple(claims_of(query, given)) for query in queries]
    found: list[KeyClaim] = []
    for start in _starts(queries):
        cut = next(_cuts(claims, start), None)
        if cut is not None and (not found or found[0].streams.keys() == cut.streams.keys()):
            found.append(cut)
    if not found:
        return None
    sources = dict.fromkeys(s.stream.name for query in queries for s in query.sources if s.stream.name not in given)
    ways = [dict(cut.streams) for cut in found]
    columns = {name: tuple(dict.fromkeys(way[name] for way in ways if name in way)) or ("_id",) for name in sources}
    if len({len(names) for name, names in columns.items() if name in ways[0]}) > 1:  # two keys are one column there
        columns = {name: (ways[0].get(name, "_id"),) for name in sources}
    return UnitKey(columns)


def why_one_shard_together(queries: Mapping[str, Query]) -> str | None:
    """Why queries, by label, that are answered together have one shard; `None`: they have several."""
    if common_key([*queries.values()]) is not None:
        return None
    given = _given([*queries.values()])
    for label, query in queries.items():
        reason = why_unclaimed(query, given)
        if reason is None and not any(True for _ in claims_of(query, given)):
            reason = (
                "no column of its events says its key" if query.context_sets else "nothing ties its events together"
            )
        if reason is not None:
            return f"{label}: {reason}"
    return "they are cut by different values"


def _given(queries: Sequence[Query]) -> frozenset[str]:
    """The streams that some of the queries form and others read."""
    read = {source.stream.name for query in queries for source in query.sources}
    return frozenset(name for query in queries for name in query.streams if name in read)


def _starts(queries: Sequence[Query]) -> Iterator[KeyClaim]:
    """What to begin with: each key of one set; without any, nothing."""
    sets = {of.name: of for query in queries for of in query.context_sets if not is_calendar(of)}
    if not sets:
        yield KeyClaim({}, {})
        return
    name, contexts = next(iter(sets.items()))
    yield from (KeyClaim({}, {name: place}) for place in range(len(contexts.keys)))


def _cuts(claims: Sequence[Collection[KeyClaim]], found: KeyClaim) -> Iterator[KeyClaim]:
    """What satisfies a claim of each query."""
    if not claims:
        yield found
        return
    for claim in claims[0]:
        both = found.joined(claim)
        if both is not None:
            yield from _cuts(claims[1:], both)
