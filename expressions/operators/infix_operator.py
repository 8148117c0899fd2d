"""What an infix operator is: each of its meanings, in one entry. Its place in the grammar and its types are syntax."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...language.nodes import Binary, BinaryOperator, Binding, Column, Constant

__all__ = ["InfixOperator", "Reference"]

Reference = Callable[[Column | Binding | Constant], str]
"""SPARQL text of the value of a column, a semantic variable or a constant."""


@dataclass(frozen=True, slots=True)
class InfixOperator:
    """One operator.

    Attributes:
        symbol: as queries have it.
        doc: what it gives, in a line of the reference.
        column: the columns of both sides in, the column of its result out; null where that is an error.
        scalar: the same of single values, of which `None` is unbound; no function: the columns' meaning, of one row.
        python: Python's own operator, which means the same of bound values wherever `scalar` gives a function.
        sparql: the texts of both sides and what constants are written as in, its text out; refuses what would not mean
            the same.
    """

    symbol: BinaryOperator
    doc: str
    column: Callable[[Binary, pl.Expr, pl.Expr], pl.Expr]
    scalar: Callable[[Binary], Callable[[Any, Any], Any] | None]
    python: str | None
    sparql: Callable[[Binary, str, str, Reference], str]
