"""Which patterns are answered by joins of columns; the others by automata."""

from __future__ import annotations

from ..language.pattern import Alternative, Element, Group, Pattern
from ..language.query import Query
from ..language.walking import walk_pattern

__all__ = ["vectorisable"]


def vectorisable(query: Query) -> bool:
    """Whether a match has at most one event of each variable, and each side of an OR has one.

    Where a side has none (`NOT ?n FOR 5s OR ?b`), what follows the OR competes with its other sides.
    """
    parts = () if query.pattern is None else walk_pattern(query.pattern)
    return not any(_is_repeated(part) or _may_be_passed(part) for part in parts)


def _is_repeated(part: Pattern) -> bool:
    return isinstance(part, Element | Group) and part.quantifier is not None


def _may_be_passed(part: Pattern) -> bool:
    """Whether it is an OR that may take no event."""
    if not isinstance(part, Alternative):
        return False
    return any(not any(isinstance(p, Element) for p in walk_pattern(branch)) for branch in part.branches)
