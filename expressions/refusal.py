"""Why a part of a query has no SPARQL that means the same."""

from __future__ import annotations

from collections.abc import Iterable

from ..language.nodes import Expression, ValueType

__all__ = ["RefusedError", "demand_known_types"]


class RefusedError(Exception):
    """SPARQL has nothing that means the same; the text is the reason, a clause such as `SPARQL has no operator %`."""


def demand_known_types(operands: Iterable[Expression]) -> None:
    """Of a term, only run time knows the type, and SPARQL's errors differ from unbound values there.

    Raises:
        RefusedError: an operand is a term.
    """
    if any(operand.type is ValueType.TERM for operand in operands):
        raise RefusedError("the type of a term is known at run time only")
