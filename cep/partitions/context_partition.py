"""A query in contexts as a plain one: every single context window is a partition of its events (LANGUAGE-2 §6).

The candidates of such a query stand once per window, with the window's number in `WINDOW_COLUMN`. With FOR a pattern
looks at all candidates, each once; those of the variables that FOR names say in `key_columns` which partition of each
set they belong to. Where attributes of windows are asked for, they stand once per window, too, and those of a match
agree in it.

Windows of several contexts overlap, and what holds in all of them is looked for once (CAESAR §5.3): a match that only
its events and those between them decide is one in every window that holds the first and the last. So such a pattern is
answered as if FOR named all its variables, within a partition; what a first NOT forbids is out of sight in windows that
begin with it or later.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import polars as pl

from ...language.nodes import (
    AfterMatchKind,
    Binary,
    Column,
    CorrelationWindow,
    Element,
    Kind,
    Link,
    Negation,
    Pattern,
    Query,
    Sequence,
    Source,
    ValueType,
)

__all__ = [
    "RESERVED",
    "WINDOW_COLUMN",
    "asks_of_windows",
    "is_shared",
    "is_windowed",
    "key_columns",
    "partitioned_by_window",
    "placed_variables",
    "reserved_types",
    "why_apart",
]

RESERVED = "#"
"""No name of the user's begins with it."""
WINDOW_COLUMN = f"{RESERVED}window"
_KEY = f"{RESERVED}key"


def is_windowed(query: Query) -> bool:
    """Whether the candidates of a query in contexts stand once per window.

    What FOR asks of a single event, or of those of an aggregate, it asks of each candidate.
    """
    within = query.in_context
    return within is not None and (not within.required or query.kind is not Kind.PATTERN) and not is_shared(query)


def asks_of_windows(query: Query) -> bool:
    """Whether a pattern with FOR asks for attributes of the windows in which the events of a match lie."""
    within = query.in_context
    named = within is not None and bool(within.required) and query.kind is Kind.PATTERN
    return named and any(source.window_attributes for source in query.sources)


def is_shared(query: Query) -> bool:
    """Whether matches of a query without FOR are looked for once for all the windows that overlap."""
    return _goes_by_key(query) or why_apart(query) is None


def _goes_by_key(query: Query) -> bool:
    return any(column == _KEY for columns in query.partition_by for _, column in columns)


def why_apart(query: Query) -> str | None:
    """Why matches of a query are not looked for once for all windows that overlap; `None`: they are."""
    within = query.in_context
    if within is None:
        return "it is in no context"
    if within.required:
        return "FOR names variables, and any window may hold their events"
    of_windows = any(source.window_attributes or source.bindings for source in query.sources)
    asked = (
        (within.grouped, "grouping is switched off"),
        (
            within.together or len(within.contexts) > 1,
            "one context's do not overlap, and sharing is switched off",
        ),
        (len(within.sets) == 1, "its contexts are of several sets"),
        (query.change is None, "it changes contexts"),
        (query.kind is Kind.PATTERN, "it is no pattern of several events"),
        (query.after_match.kind is AfterMatchKind.KEEP_ALL, "AFTER MATCH goes by window"),
        (all(isinstance(w, CorrelationWindow) for w in query.windows), "a WINDOW counts the events of each"),
        (not of_windows, "it uses semantic variables, or attributes of windows"),
        (
            _decided_by_its_events(query.pattern),
            "more than its events decides a match: links, repetition, NOT",
        ),
    )
    return next((reason for holds, reason in asked if not holds), None)


def _decided_by_its_events(pattern: Pattern | None) -> bool:
    """Whether a pattern looks at nothing behind its last event, and may pass over anything."""
    match pattern:
        case None | Element(quantifier=None):
            return True
        case Sequence(parts=parts, links=links):
            plain = all(isinstance(part, Negation) or _is_one_event(part) for part in parts)
            apart = isinstance(parts[0], Negation) and parts[0].duration is not None  # it is decided on the way
            return plain and not apart and not isinstance(parts[-1], Negation) and set(links) <= {Link.ANY}
        case _:
            return False


def _is_one_event(part: Pattern) -> bool:
    return isinstance(part, Element) and part.quantifier is None


def placed_variables(query: Query) -> tuple[str, ...]:
    """The variables whose events have to lie in windows."""
    within = query.in_context
    if within is None:
        return ()
    return within.required or tuple(source.variable for source in query.sources)


def key_columns(query: Query) -> tuple[str, ...]:
    """The columns that say the partition of an event, one for each set; none but of a pattern with FOR.

    Where it asks for attributes of windows, the one column that says the event's window.
    """
    if query.in_context is None or is_windowed(query):
        return ()
    if asks_of_windows(query):
        return (_KEY,)
    return tuple(f"{_KEY}{i or ''}" for i in range(len(query.in_context.sets)))


def reserved_types(columns: tuple[str, ...]) -> dict[str, pl.DataType]:
    """The types of those columns of candidates that are no one's attributes."""
    return {name: pl.Int64() for name in columns if name == WINDOW_COLUMN or name.startswith(_KEY)}


def partitioned_by_window(query: Query) -> Query:
    """The query that kernels run; once more the same if it is that already.

    All events of a match agree in `WINDOW_COLUMN`, contiguity counts the events of the window, AFTER MATCH goes by it,
    and aggregates are grouped by it: as `PARTITION BY` says.
    """
    if is_windowed(query):
        partition = tuple((source.variable, WINDOW_COLUMN) for source in query.sources)
        if partition in query.partition_by:
            return query
        sources = tuple(_with_columns(source, (WINDOW_COLUMN,)) for source in query.sources)
        return replace(query, sources=sources, partition_by=(partition, *query.partition_by))
    keys = key_columns(query)
    if query.in_context is None or not keys or _goes_by_key(query):
        return query
    named = placed_variables(query)
    sources = tuple(_with_columns(s, keys) if s.variable in named else s for s in query.sources)
    if asks_of_windows(query):
        joins = (_in_one_window(query, one, other) for one, other in pairwise(named))
        return replace(query, sources=sources, joins=tuple(dict.fromkeys((*query.joins, *joins))))
    if not is_shared(query):
        return replace(query, sources=sources)
    partition = tuple((variable, key) for variable in named for key in keys)
    within = replace(query.in_context, required=named)
    return replace(query, sources=sources, in_context=within, partition_by=(partition, *query.partition_by))


def _in_one_window(query: Query, one: str, other: str) -> Binary:
    left, right = (Column(variable, _KEY, ValueType.INTEGER, query.span) for variable in (one, other))
    return Binary("=", left, right, ValueType.BOOLEAN, query.span)


def _with_columns(source: Source, columns: tuple[str, ...]) -> Source:
    return replace(source, columns=tuple(sorted({*source.columns, *columns})))
