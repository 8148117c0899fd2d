"""Which events can meet in a row at all: the keys by which a past is cut into shards that know nothing of each other.

Only what is certain is cut: one query by itself, among whose rows nothing chooses, over events that are in order of
time, so that none is late. What comes twice has to come to one shard: keys follow from the identity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from ..annotator import Annotator
from ..language.nodes import (
    AfterMatchKind,
    BatchWindow,
    Binary,
    CheckWindow,
    Column,
    Conjunction,
    Element,
    Expression,
    Kind,
    Link,
    Negation,
    Pattern,
    Policy,
    Query,
    SlidingWindow,
    Timer,
    Window,
    negated_variables,
    walk_pattern,
)
from ..language.nodes import Sequence as InOrder

__all__ = ["ShardKeys", "shard_keys"]

ShardKeys = Mapping[str, tuple[str, ...]]
"""By stream, the columns of its events by which they are of one shard."""


def shard_keys(queries: Sequence[Query], annotators: Mapping[str, Annotator]) -> ShardKeys | None:
    """By what a document's events can be cut; `None`: they have to be together.

    Args:
        queries: of the document, in order.
        annotators: of the source streams, by name.
    """
    if len(queries) != 1 or not _stands_alone(queries[0]):
        return None
    (query,) = queries
    by_variable = _keys(query)
    streams = {source.variable: source.stream.name for source in query.sources}
    found: dict[str, tuple[str, ...]] = {}
    for variable, keys in by_variable.items():
        stream = streams[variable]
        if stream not in annotators or found.setdefault(stream, keys) != keys:
            return None  # an event could be needed in two shards
        if not _follow(keys, annotators[stream]):
            return None
    return found or None


def _stands_alone(query: Query) -> bool:
    """Whether a row of a query depends on the events that it is found in, and on nothing else."""
    others = (query.rule, query.change, query.in_context, query.limit, query.output_rate)
    return not any(part is not None for part in others) and not query.distinct and not query.context_sets


def _keys(query: Query) -> Mapping[str, tuple[str, ...]]:
    """By variable, the columns in which the events of a row agree; empty: there are none for all of them."""
    variables = [source.variable for source in query.sources]
    if query.kind is Kind.SELECTION:
        return {variables[0]: ("_id",)}
    if query.kind is Kind.AGGREGATION and len(variables) == 1:
        columns = tuple(e.name for e in query.group_by if isinstance(e, Column))
        return {variables[0]: columns} if columns and all(map(_is_of_a_group, query.windows)) else {}
    if query.kind is not Kind.PATTERN or any(_counts(window) for window in query.windows):
        return {}
    if any(isinstance(part, Timer) for part in _parts(query.pattern)):
        return {}  # EVERY goes on to the last event of all
    for partition in query.partition_by:
        named = dict(partition)
        if named.keys() >= {*variables}:
            return {variable: (named[variable],) for variable in variables}
    return _joined(query, variables) if _is_plain(query) else {}


def _joined(query: Query, variables: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The columns that JOINs make equal in all variables; what is not there makes nothing equal."""
    absent = negated_variables(query.pattern)
    pairs = [pair for join in query.joins if (pair := _equal(join)) is not None]
    pairs += [(other, one) for one, other in pairs]
    for first in {one for one, _ in pairs if one[0] not in absent}:
        reached = {first[0]: first}
        for _ in variables:
            for one, other in pairs:
                if one[0] not in absent and reached.get(one[0]) == one:
                    reached.setdefault(other[0], other)
        if reached.keys() >= {*variables}:
            return {variable: (reached[variable][1],) for variable in variables}
    return {}


def _equal(join: Expression) -> tuple[tuple[str, str], tuple[str, str]] | None:
    match join:
        case Binary("=", Column() as one, Column() as other) if (
            one.type is other.type and one.variable != other.variable
        ):
            return (one.variable, one.name), (other.variable, other.name)
        case _:
            return None


def _is_plain(query: Query) -> bool:
    """Whether events that JOINs keep apart do not stand in each other's way."""
    parts = _parts(query.pattern)
    return (
        query.policy is Policy.ANY
        and query.after_match.kind is AfterMatchKind.KEEP_ALL
        and all(_is_plain_part(part) for part in parts)
    )


def _is_plain_part(part: Pattern) -> bool:
    match part:
        case Element(quantifier=quantifier):
            return quantifier is None
        case InOrder(links=links):
            return all(link is Link.ANY for link in links)
        case _:
            return isinstance(part, Negation | Conjunction)


def _parts(pattern: Pattern | None) -> list[Pattern]:
    return [] if pattern is None else list(walk_pattern(pattern))


def _is_of_a_group(window: Window) -> bool:
    """Whether a group's window depends on no event of another."""
    match window:
        case BatchWindow(start="first"):
            return False
        case SlidingWindow(shared=shared) | CheckWindow(shared=shared):
            return not shared
        case _:
            return True


def _counts(window: Window) -> bool:
    """Whether a window of a pattern holds so many events, whatever their keys."""
    return isinstance(window, SlidingWindow) and not isinstance(window.extent, timedelta)


def _follow(keys: Sequence[str], annotator: Annotator) -> bool:
    """Whether events of one identity have equal keys."""
    identity = {*annotator.annotation.identity}
    individuals = {a.individual: a.name for a in annotator.shape.attributes if a.individual is not None}
    return not identity or all(key in {"_id", *identity} or individuals.get(key) in identity for key in keys)
