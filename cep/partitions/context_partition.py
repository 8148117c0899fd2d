"""A query in contexts as a plain one: every single context window is a partition of its events (LANGUAGE-2 §6).

The candidates of such a query stand once per window, with the window's number in `WINDOW_COLUMN`. With FOR a pattern
looks at all candidates, each once; those of the variables that FOR names say in `key_columns` which partition of each
set they belong to.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ...language.nodes import Kind, Query, Source

__all__ = ["WINDOW_COLUMN", "is_windowed", "key_columns", "partitioned_by_window", "reserved_types"]

WINDOW_COLUMN = "#window"
_KEY = "#key"


def is_windowed(query: Query) -> bool:
    """Whether the candidates of a query in contexts stand once per window.

    What FOR asks of a single event, or of those of an aggregate, it asks of each candidate.
    """
    within = query.in_context
    return within is not None and (not within.required or query.kind is not Kind.PATTERN)


def key_columns(query: Query) -> tuple[str, ...]:
    """The columns that say the partition of an event, one for each set; none but of a pattern with FOR."""
    if query.in_context is None or is_windowed(query):
        return ()
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
    if query.in_context is None or not keys:
        return query
    named = query.in_context.required
    return replace(query, sources=tuple(_with_columns(s, keys) if s.variable in named else s for s in query.sources))


def _with_columns(source: Source, columns: tuple[str, ...]) -> Source:
    return replace(source, columns=tuple(sorted({*source.columns, *columns})))
