"""Which queries may be answered in shards, and by which values: all events of a match lie in one shard.

Source: key-partitioned streams (Flink's keyed streams; H2O §V); docs/decisions/320.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from ....language.nodes import Conjunction, Element, Kind, Pattern, Query
from ....language.nodes import Sequence as Links
from .common_rows import why_common
from .tied_columns import of_partitions, tied_columns

__all__ = ["ShardKey", "sharding_key", "why_one_shard"]

_MISSING = {
    Kind.AGGREGATION: "GROUP BY an attribute of an exact type",
    Kind.PATTERN: "PARTITION BY, or equality JOINs of all",
}


@dataclass(frozen=True, slots=True)
class ShardKey:
    """By what the events of a query are dealt to shards.

    Attributes:
        columns: by event variable, the column of its candidates.
        place: of PARTITION BY, which of its attributes it is, for events beside candidates; `None`: there are none.
    """

    columns: Mapping[str, str]
    place: int | None = None

    @property
    def text(self) -> str:
        """The columns, for people."""
        return ", ".join(f"?{variable}.{name}" for variable, name in self.columns.items())


def sharding_key(query: Query) -> ShardKey | None:
    """By what the events of a query over source streams are dealt to shards; `None`: it is answered in one."""
    if why_common(query) is not None or query.context_sets:
        return None
    if query.kind is Kind.SELECTION:
        return ShardKey({source.variable: "_id" for source in query.sources})
    partitions = (ShardKey(names, place) for place, names in of_partitions(query))
    ties = (names for names in tied_columns(query) if _parts_last_events(query, names))
    return next(partitions, None) or next(map(ShardKey, ties), None)


def why_one_shard(query: Query) -> str | None:
    """Why a query over source streams is answered in one shard; `None`: it is answered in several.

    Of one in contexts, those that change them decide as well: see `why_one_shard_together`.
    """
    if sharding_key(query) is not None:
        return None
    reason = "it speaks of contexts" if query.context_sets else why_common(query)
    if reason is None and any(True for _ in tied_columns(query)):
        return "matches of different keys may have the same last event, by which rows are put in order"
    return reason or f"nothing ties its events together: {_MISSING.get(query.kind, '')}"


def _parts_last_events(query: Query, columns: Mapping[str, str]) -> bool:
    """Whether all matches that end with an event lie in one shard, where alone it is known how these are ordered.

    An event that may be taken for two variables lies in two shards where these are dealt by different columns.
    """
    streams = {source.variable: source.stream.name for source in query.sources}
    last = streams if query.pattern is None else list(_last_variables(query.pattern))
    pairs = combinations(last, 2)
    return all(columns[one] == columns[other] for one, other in pairs if streams[one] == streams[other])


def _last_variables(pattern: Pattern) -> Iterator[str]:
    """Those that may have the last event of a match: a SEQ ends with its last part, unless that is a NOT."""
    match pattern:
        case Element(variable=variable):
            yield variable
        case Links(parts=parts):
            ends = (list(_last_variables(part)) for part in reversed(parts))
            yield from next((names for names in ends if names), [])
        case Conjunction(parts=parts):
            for part in parts:
                yield from _last_variables(part)
        case _:
            return
