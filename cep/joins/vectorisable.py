"""Which patterns are answered by joins of columns; the others by automata."""

from __future__ import annotations

from ...language.nodes import Element, Group, Query, walk_pattern

__all__ = ["vectorisable"]


def vectorisable(query: Query) -> bool:
    """Whether nothing in the query's SEQ is repeated, so that a match has as many events as it has variables."""
    parts = () if query.pattern is None else walk_pattern(query.pattern)
    return not any(isinstance(part, Element | Group) and part.quantifier is not None for part in parts)
