"""Functions that look at what is unbound, and PREV. Source: SPARQL 1.1 §17.4.1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from ...language.nodes import Binding, Call, Column, Constant, Intrinsic, Signature, UnitRule, ValueType
from ..column_types import converted, truth
from ..refusal import demand_known_types
from ..scalar_operators import choose, coalesce, is_bound
from .scalar_function import BY_COLUMN, Columns, Given, Scalar, ScalarFunction, refused, same_in_sparql

__all__ = ["BOUND", "COALESCE", "IF", "PREV"]


def _always(kernel: Callable[..., Any]) -> Callable[[Call], Callable[..., Any]]:
    return lambda _call: kernel


def _coalesce(e: Call, columns: Columns) -> pl.Expr:
    return pl.coalesce([converted(x, a.type, e.type) for x, a in zip(columns, e.arguments, strict=True)])


def _coalesce_in_sparql(e: Call, arguments: Sequence[str]) -> str:
    demand_known_types(e.arguments)
    return same_in_sparql(e, arguments)


COALESCE = ScalarFunction(
    "COALESCE",
    "COALESCE(x, y, …)",
    "the first that is bound",
    Signature(("one type",), 0, repeated=True, result=None, unit=UnitRule.AGREED, check=None),
    _coalesce,
    Scalar(Given.DELAYED, _always(coalesce)),
    _coalesce_in_sparql,
)


def _if(e: Call, columns: Columns) -> pl.Expr:
    test = truth(columns[0], e.arguments[0].type)
    yes, no = (converted(x, a.type, e.type) for x, a in zip(columns[1:], e.arguments[1:], strict=True))
    return pl.when(test).then(yes).when(test.not_()).then(no)


def _if_in_sparql(e: Call, arguments: Sequence[str]) -> str:
    demand_known_types(e.arguments[1:])
    return same_in_sparql(e, arguments)


IF = ScalarFunction(
    "IF",
    "IF(condition, x, y)",
    "x where the condition is true, y where it is false",
    Signature(("a boolean", "one type", "one type"), 0, repeated=False, result=None, unit=UnitRule.AGREED, check=None),
    _if,
    Scalar(Given.DELAYED, _always(choose)),
    _if_in_sparql,
)


def _bound(e: Call, columns: Columns) -> pl.Expr:
    if isinstance(e.arguments[0], Constant):  # of which Polars makes one row where a column is wanted
        return pl.lit(True)  # noqa: FBT003 - a value
    return columns[0].is_not_null()


def _bound_in_sparql(e: Call, arguments: Sequence[str]) -> str:
    """SPARQL asks that of variables only; of anything else, whether it is the term that it is, or an error."""
    (value,) = arguments
    if isinstance(e.arguments[0], Column | Binding) and value.startswith("?"):
        return same_in_sparql(e, arguments)
    return f"COALESCE(SAMETERM({value}, {value}), false)"


BOUND = ScalarFunction(
    "BOUND",
    "BOUND(x)",
    "whether it has a value: an attribute that the event has, a computation without an error",
    Signature(("a value",), 0, repeated=False, result=ValueType.BOOLEAN, unit=UnitRule.NONE, check=None),
    _bound,
    Scalar(Given.ANY, _always(is_bound)),
    _bound_in_sparql,
)


def _no_column(e: Call, columns: Columns) -> pl.Expr:
    message = f"{e.function} looks back in a run: {len(columns)} columns of single events cannot say it"
    raise ValueError(message)


PREV = ScalarFunction(
    Intrinsic.PREV,
    "PREV(?b.attribute)",
    "in a JOIN, the value at the event before it in its run; of a single variable, at the candidate before",
    Signature(("an attribute",), 0, repeated=False, result=None, unit=UnitRule.KEPT, check=None),
    _no_column,
    BY_COLUMN,
    refused("the function PREV differs between engines of SPARQL"),
)
