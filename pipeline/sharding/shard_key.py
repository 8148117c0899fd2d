"""Which queries may be answered in shards, and by which values: all events of a match lie in one shard.

Source: key-partitioned streams (Flink's keyed streams; H2O §V); docs/decisions/320.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np
import polars as pl
from polars_hash import NonCryptographicHashingNameSpace as Hashes

from ...cep.joins import vectorisable
from ...cep.order import sees_all_events
from ...expressions import Ints
from ...language.nodes import (
    AfterMatchKind,
    BatchWindow,
    Binary,
    CheckWindow,
    Column,
    Conjunction,
    ContextWindow,
    CorrelationWindow,
    CumulateWindow,
    Element,
    HoppingWindow,
    Kind,
    Link,
    Negation,
    Pattern,
    Policy,
    Query,
    SessionWindow,
    SlidingWindow,
    Source,
    Timer,
    ValueType,
    Window,
    conjuncts,
    negated_variables,
    slides_by_time,
    walk_pattern,
)
from ...language.nodes import Sequence as Links

__all__ = ["ShardKey", "shard_of", "sharding_key", "why_one_shard"]

_EXACT = (ValueType.BOOLEAN, ValueType.INTEGER, ValueType.STRING, ValueType.IRI, ValueType.DATETIME)
"""Of these, values are equal exactly when their texts are."""
_SEED = 320


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


def sharding_key(query: Query, *, in_order: bool = True) -> ShardKey | None:
    """By what a query's events are dealt to shards; `None`: it is answered in one (`why_one_shard`).

    Args:
        query: the query.
        in_order: whether rows have to come in output order, batch by batch.
    """
    if _apart(query, in_order=in_order) is not None:
        return None
    match query.kind:
        case Kind.SELECTION:
            return ShardKey({source.variable: "_id" for source in query.sources})
        case Kind.AGGREGATION:
            return next(_of_groups(query), None)
        case Kind.PATTERN:
            return next(_of_partitions(query), None) or (_of_joins(query) if vectorisable(query) else None)


def why_one_shard(query: Query) -> str | None:
    """Why a query is answered in one shard; `None`: it is answered in several."""
    if sharding_key(query) is not None:
        return None
    missing = {Kind.AGGREGATION: "GROUP BY an attribute of an exact type"}
    reason = f"nothing ties its events together: {missing.get(query.kind, 'PARTITION BY, or equality JOINs of all')}"
    return _apart(query) or reason


def shard_of(values: pl.Series, shards: int) -> Ints:
    """The number of each value's shard; what is unbound lies in the first. The same in every process and version."""
    if shards == 1:
        return np.zeros(len(values), np.int64)
    texts = values.to_physical().cast(pl.String).alias("text").to_frame()
    numbers = texts.select((Hashes(pl.col("text")).xxh3_64(seed=_SEED) % shards).fill_null(0)).to_series()
    return numbers.to_numpy().astype(np.int64)


def _apart(query: Query, *, in_order: bool = True) -> str | None:
    """What of a query looks at the events of all keys."""
    counted = query.kind is Kind.PATTERN and not all(map(_ties_in_time, query.windows))
    parts = () if query.pattern is None else tuple(walk_pattern(query.pattern))
    waits = in_order and query.kind is Kind.PATTERN and not vectorisable(query)
    asked: tuple[tuple[bool, str], ...] = (
        (query.in_context is not None or bool(query.context_sets), "it speaks of contexts"),
        (query.rule is not None, "it is a rule"),
        (query.limit is not None, "LIMIT counts all rows"),
        (query.distinct, "DISTINCT compares all rows"),
        (query.output_rate is not None, "OUTPUT hands over the rows of all keys together"),
        (waits, "it repeats events, and rows wait for each other"),
        (any(isinstance(part, Timer) for part in parts), "it has a timer"),
        (_waits_for_any(query.pattern), "its last NOT waits for the next event"),
        (counted, "a WINDOW counts events, or slides over those of all keys"),
        (not all(map(_of_group, query.windows)), "a WINDOW is of all groups, or begins with the first event"),
    )
    return next((reason for holds, reason in asked if holds), None)


def _waits_for_any(pattern: Pattern | None) -> bool:
    last = pattern.parts[-1] if isinstance(pattern, Links) else None
    return isinstance(last, Negation) and last.duration is None


def _ties_in_time(window: Window) -> bool:
    return isinstance(window, CorrelationWindow) or slides_by_time(window)


def _of_group(window: Window) -> bool:
    """Whether which events a window holds follows from those of its group alone."""
    match window:
        case BatchWindow(start=start):
            return start != "first"
        case SlidingWindow(shared=shared) | CheckWindow(shared=shared):
            return not shared
        case HoppingWindow() | CumulateWindow() | SessionWindow() | CorrelationWindow():
            return True
        case ContextWindow():
            return False
        case _:
            assert_never(window)


def _of_groups(query: Query) -> Iterator[ShardKey]:
    for key in query.group_by:
        if isinstance(key, Column) and key.type in _EXACT and not key.wide:
            yield ShardKey({key.variable: key.name})


def _of_partitions(query: Query) -> Iterator[ShardKey]:
    for place, columns in enumerate(query.partition_by):
        names = dict(columns)
        if all(source.variable in names for source in query.sources):
            types = {_type_of(source, names[source.variable]) for source in query.sources}
            if len(types) == 1 and types <= set(_EXACT):
                yield ShardKey(names, place)


def _type_of(source: Source, name: str) -> ValueType:
    """An attribute's type; other columns hold the IRIs of individuals."""
    return next((a.type for a in source.stream.attributes if a.name == name), ValueType.IRI)


def _of_joins(query: Query) -> ShardKey | None:
    """Columns that the events of every match agree in, by equality JOINs; whoever is under NOT agrees, too."""
    keeps = query.after_match.kind is AfterMatchKind.KEEP_ALL and query.policy is Policy.ANY
    if not keeps or sees_all_events(query) or not _passes_over_anything(query.pattern):
        return None
    negated = negated_variables(query.pattern)
    pairs = [pair for join in query.joins for part in conjuncts(join) if (pair := _equality(part)) is not None]
    positive = [source.variable for source in query.sources if source.variable not in negated]
    for start in dict.fromkeys(column for pair in pairs for column in pair if column[0] == positive[0]):
        tied = _reached([start], [pair for pair in pairs if not {v for v, _ in pair} & negated])
        if {variable for variable, _ in tied} != set(positive):
            continue
        columns = dict(reversed(tied))
        for one, other in (*pairs, *((b, a) for a, b in pairs)):
            if other[0] in negated and one in tied:
                columns.setdefault(*other)
        if len(columns) == len(query.sources):
            return ShardKey({source.variable: columns[source.variable] for source in query.sources})
    return None


_Tied = tuple[str, str]
"""A variable and a column of it."""


def _equality(part: object) -> tuple[_Tied, _Tied] | None:
    match part:
        case Binary(operator="=", left=Column() as left, right=Column() as right):
            exact = left.type is right.type and left.type in _EXACT and not (left.wide or right.wide)
            apart = left.variable != right.variable
            return ((left.variable, left.name), (right.variable, right.name)) if exact and apart else None
        case _:
            return None


def _reached(start: Sequence[_Tied], pairs: Sequence[tuple[_Tied, _Tied]]) -> list[_Tied]:
    """All columns that equal one of some, the first ones first."""
    found = list(start)
    for column in found:  # it grows on the way
        found += [b for a, b in (*pairs, *((y, x) for x, y in pairs)) if a == column and b not in found]
    return found


def _passes_over_anything(pattern: Pattern | None) -> bool:
    match pattern:
        case None | Element(quantifier=None) | Negation():
            return True
        case Links(parts=parts, links=links):
            return set(links) <= {Link.ANY} and all(map(_passes_over_anything, parts))
        case Conjunction(parts=parts):
            return all(map(_passes_over_anything, parts))
        case _:
            return False
