"""What one query asks of a cut of all queries that share contexts or streams: a column per stream, a key per set."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from ....language.nodes import (
    Aggregate,
    Call,
    Column,
    ContextSet,
    Element,
    Expression,
    Group,
    Kind,
    Query,
    ValueType,
    walk_pattern,
)
from .common_rows import why_common
from .tied_columns import is_exact, tied_columns

__all__ = ["KeyClaim", "claims_of", "is_calendar", "why_unclaimed"]


@dataclass(frozen=True, slots=True)
class KeyClaim:
    """One way in which a query could be cut.

    Attributes:
        streams: by stream, the column by whose values its events would be dealt; streams of other queries as well.
        keys: by set of contexts, which of its keys that is.
        type: of the values; `None`: any column would do.
    """

    streams: Mapping[str, str]
    keys: Mapping[str, int]
    type: ValueType | None = None

    def joined(self, other: KeyClaim) -> KeyClaim | None:
        """Both at once; `None`: they contradict each other."""
        types = {self.type, other.type} - {None}
        streams, keys = {**self.streams, **other.streams}, {**self.keys, **other.keys}
        agree = all(other.streams.get(s, c) == c for s, c in self.streams.items())
        agree = agree and all(other.keys.get(s, k) == k for s, k in self.keys.items())
        return KeyClaim(streams, keys, next(iter(types), None)) if agree and len(types) < 2 else None


def is_calendar(contexts: ContextSet) -> bool:
    """Whether the clock alone says which of them hold, so that every shard knows it."""
    return all(context.calendar is not None for context in contexts.contexts[1:])


def why_unclaimed(query: Query, given: Collection[str]) -> str | None:
    """What of a query forbids every cut, in words; `None`: nothing.

    Args:
        query: one of several that share contexts or streams.
        given: the streams that queries among these form or are read from these.
    """
    greedy = _is_greedy(query) and (query.change is not None or query.name in given)
    asked: tuple[tuple[bool, str], ...] = (
        (
            any(source.stream.name == of.changes_stream for source in query.sources for of in query.context_sets),
            "it reads changes of contexts, which are numbered over all keys",
        ),
        (greedy, "others wait for its rows, and these for repetitions of other keys"),
        (query.change is not None and _ends(query), "its changes end with WITHIN, whose end waits for all keys"),
        (
            any(not of.keys and not is_calendar(of) for of in query.context_sets),
            "it speaks of contexts that have no keys",
        ),
    )
    return why_common(query) or next((reason for holds, reason in asked if holds), None)


def _ends(query: Query) -> bool:
    return any(bounds.upper is not None for bounds in (query.bounds, *(of.bounds for of in query.context_sets)))


def _is_greedy(query: Query) -> bool:
    parts = () if query.pattern is None else walk_pattern(query.pattern)
    quantifiers = (part.quantifier for part in parts if isinstance(part, Element | Group))
    return any(q is not None and not q.every_length and q.minimum != q.maximum for q in quantifiers)


def claims_of(query: Query, given: Collection[str]) -> Iterator[KeyClaim]:
    """The ways in which a query could be cut, so that its matches and its contexts lie in one shard each.

    Args:
        query: see `why_unclaimed`, which says nothing against it.
        given: likewise.
    """
    keyed = [of for of in query.context_sets if not is_calendar(of)]
    streams = {source.variable: source.stream.name for source in query.sources}
    for places in product(*(range(len(of.keys)) for of in keyed)):
        keys = {of.name: place for of, place in zip(keyed, places, strict=True)}
        said = _said(query, keys)
        if said is None:
            continue
        for tied in _tied(query, said, streams):
            claim = _claim(query, {**tied, **said}, streams, keys)
            yield from () if claim is None else _told(query, claim, given)


def _said(query: Query, keys: Mapping[str, int]) -> dict[str, str] | None:
    """By event variable, the column that says its partition; `None`: something else says it."""
    found: dict[str, str] = {}
    placements = () if query.in_context is None else query.in_context.placements
    said = [placement.keys[keys[placement.set]] for placement in placements if placement.set in keys]
    if query.change is not None:
        name = query.change.keys[keys[query.change.context.set]]
        said += _carriers(next(item.value for item in query.items if item.name == name))
    for expression in said:
        if not isinstance(expression, Column) or not is_exact(expression):
            return None
        if found.setdefault(expression.variable, expression.name) != expression.name:
            return None
    return found


def _carriers(value: Expression) -> Iterator[Expression]:
    """What the key of a change is taken from: an event, the first one of a run, the first one that there is."""
    match value:
        case Aggregate(function="FIRST", argument=Column() as argument):
            yield argument
        case Call(function="COALESCE", arguments=arguments):
            for one in arguments:
                yield from _carriers(one)
        case _:
            yield value


def _tied(query: Query, said: Mapping[str, str], streams: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """By event variable, a column in which all events of a match agree, as far as it matters which."""
    if query.kind is Kind.SELECTION or (_is_of_windows(query) and said.keys() == streams.keys()):
        yield said
        return
    yield from (tied for tied in tied_columns(query) if all(tied.get(v) == name for v, name in said.items()))


def _is_of_windows(query: Query) -> bool:
    """Whether all events of a match lie in one window, whose partition tells its key."""
    within = query.in_context
    sets = {of.name: of for of in query.context_sets}
    return within is not None and not within.required and not any(is_calendar(sets[name]) for name in within.sets)


def _claim(
    query: Query, columns: Mapping[str, str], streams: Mapping[str, str], keys: Mapping[str, int]
) -> KeyClaim | None:
    """The same by stream, whose events lie in one shard each."""
    found = KeyClaim({}, keys)
    for source in query.sources:
        name = columns.get(source.variable)
        if name is None:
            continue
        types = {a.type for a in source.stream.attributes if a.name == name} or {ValueType.IRI}
        both = found.joined(KeyClaim({streams[source.variable]: name}, {}, types.pop()))
        if both is None:
            return None
        found = both
    return found


def _told(query: Query, claim: KeyClaim, given: Collection[str]) -> Iterator[KeyClaim]:
    """Of a query whose rows others read: its rows say the key, too."""
    if query.name is None or query.name not in given:
        yield claim
        return
    streams = {source.variable: source.stream.name for source in query.sources}
    for item in query.items:
        match item.value:
            case Column(variable=variable, name=name) as column if is_exact(column):
                both = claim.joined(KeyClaim({streams[variable]: name}, {}, column.type))
                if both is not None and not item.hidden:
                    yield replace(both, streams={**both.streams, query.name: item.name})
