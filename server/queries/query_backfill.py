"""Queries that are to be answered over all that the archive has: WITHIN ( , ) where the text says nothing of time."""

from __future__ import annotations

from ...errors import QuerySyntaxError
from ...language import Statement
from ...language.syntax import parse_document
from ..problem import ProblemError

__all__ = ["with_past"]

_ALL = " WITHIN ( , ) "


def with_past(text: str) -> str:
    """A document whose queries speak of all of time; those that say of which time stay as they are.

    Args:
        text: χ-CEP.

    Raises:
        QuerySyntaxError: it is no χ-CEP.
        ProblemError: 422, there is no place for a WITHIN.
    """
    for one in reversed([part for part in parse_document(text) if isinstance(part, Statement)]):
        query = one.query
        if query.within is None:
            before = [*query.items, *query.sources, *([] if query.in_context is None else [query.in_context])]
            text = _inserted(text, max(node.span.end for node in before) if before else one.span.start)
    return text


def _inserted(text: str, place: int) -> str:
    """The text with a WITHIN at a place, or behind the bracket that is closed there."""
    bracket = text.find(")", place)
    for at in (place, *([] if bracket < 0 else [bracket + 1])):
        found = text[:at] + _ALL + text[at:]
        try:
            parse_document(found)
        except QuerySyntaxError:
            continue
        return found
    raise ProblemError(422, "the query says nothing of its past", "write WITHIN ( , ) behind FROM")
