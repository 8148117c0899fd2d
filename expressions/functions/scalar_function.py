"""What a scalar function is: everything that any part of the engine has to know of it, in one entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import polars as pl

from ...language.nodes import Call, Signature
from ..refusal import RefusedError

__all__ = ["BY_COLUMN", "Columns", "Given", "Scalar", "ScalarFunction", "refused", "same_in_sparql"]

Columns = Sequence[pl.Expr]


class Given(Enum):
    """How a scalar kernel gets its arguments."""

    BOUND = "values that are bound; where one is not, neither is the result"
    ANY = "values, unbound ones among them"
    DELAYED = "as above, those of one type as functions without parameters that give them"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A function on single values.

    Attributes:
        given: how it gets its arguments.
        kernel: for a call, the function of its arguments; `None`: the column kernel, one row at a time.
    """

    given: Given
    kernel: Callable[[Call], Callable[..., Any]] | None


BY_COLUMN = Scalar(Given.BOUND, None)
"""The columns' meaning, asked of one row; answers are remembered."""


@dataclass(frozen=True, slots=True)
class ScalarFunction:
    """One function.

    Attributes:
        name: in upper case.
        usage: how it is written, for the reference.
        doc: what it gives, in a line of the reference.
        signature: what the checker has to know.
        column: the columns of its arguments in, the column of its result out; null where that is an error.
        scalar: the same of single values.
        sparql: the texts of its arguments in, its text out; refuses what would not mean the same.
    """

    name: str
    usage: str
    doc: str
    signature: Signature
    column: Callable[[Call, Columns], pl.Expr]
    scalar: Scalar
    sparql: Callable[[Call, Sequence[str]], str]


def same_in_sparql(e: Call, arguments: Sequence[str]) -> str:
    """The SPARQL function of the same name."""
    return f"{e.function}({', '.join(arguments)})"


def refused(reason: str) -> Callable[[Call, Sequence[str]], str]:
    """SPARQL has nothing that means the same.

    Raises:
        RefusedError: whenever it is called.
    """

    def refuse(_call: Call, _arguments: Sequence[str]) -> str:
        raise RefusedError(reason)

    return refuse
