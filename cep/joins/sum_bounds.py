"""Sums that cannot become true any more: partial matches are dropped before what they lack is joined to them.

A condition such as `?a.x + ?b.x < ?c.x + ?d.x` is asked when all its variables are bound. Until then the least and the
greatest values of what is missing say whether it can still be true.

Source: branch and bound (Land and Doig 1960).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from ...expressions import Bools, Floats, column_expression, plain_name
from ...language.nodes import Binary, Call, Expression, Intrinsic, Unary, is_wide, variables_of
from ..match import BoundRows
from ..order import Candidates

__all__ = ["SumBounds", "SumCondition", "sum_condition"]

_SLACK: Final = 1e-9
"""Of the greatest values: more than what any order of additions rounds."""
_LEAST: Final = 3
"""With fewer variables the condition itself is asked next."""


@dataclass(frozen=True, slots=True)
class SumCondition:
    """That a sum is zero, not below it or not above it, as far as rounding leaves that open.

    Attributes:
        falls: whether it is false of a sum above zero.
        rises: whether it is false of a sum below zero.
        terms: by variable, what it adds, over its plain columns.
        constant: what is added to them.
    """

    falls: bool
    rises: bool
    terms: Mapping[str, tuple[pl.Expr, ...]]
    constant: float


def sum_condition(e: Expression) -> SumCondition | None:
    """A comparison of sums of several variables; `None`: it is something else."""
    if isinstance(e, Call) and e.function == Intrinsic.OVERFLOW:
        return sum_condition(e.arguments[0])
    if not isinstance(e, Binary) or e.operator not in ("=", "<", "<=", ">", ">=") or len(variables_of(e)) < _LEAST:
        return None
    terms: dict[str, list[pl.Expr]] = {}
    constant = 0.0
    for sign, term in (*_terms(e.left, 1), *_terms(e.right, -1)):
        variables = variables_of(term)
        if len(variables) > 1 or not term.type.numeric or is_wide(term):
            return None
        value = column_expression(term, plain_name).cast(pl.Float64) * sign
        if not variables:
            constant += pl.select(value).item()
        for variable in variables:
            terms.setdefault(variable, []).append(value)
    falls, rises = e.operator in ("=", "<", "<="), e.operator in ("=", ">", ">=")
    return SumCondition(falls, rises, {v: tuple(of) for v, of in terms.items()}, constant)


def _terms(e: Expression, sign: int) -> Iterator[tuple[int, Expression]]:
    match e:
        case Binary(operator="+" | "-" as operator, left=left, right=right):
            yield from _terms(left, sign)
            yield from _terms(right, sign if operator == "+" else -sign)
        case Unary(operator="-", operand=operand):
            yield from _terms(operand, -sign)
        case Call(function=Intrinsic.EXACT | Intrinsic.DOUBLE, arguments=(argument,)):
            yield from _terms(argument, sign)
        case _:
            yield sign, e


@dataclass(frozen=True, slots=True)
class _Share:
    """What the candidates of a variable add to a sum: NaN where that is unbound, which makes no condition true."""

    values: Floats
    least: float
    greatest: float
    size: float

    @classmethod
    def of(cls, terms: Sequence[pl.Expr], frame: pl.DataFrame) -> _Share:
        size = pl.sum_horizontal(*(term.abs() for term in terms)).max()
        found = frame.select(value=sum(terms[1:], terms[0]), size=size)
        values = found["value"].fill_null(float("nan")).to_numpy()
        known = values[~np.isnan(values)]
        if not len(known):
            return cls(values, float("nan"), float("nan"), float("nan"))
        return cls(values, float(known.min()), float(known.max()), found["size"][0])


class SumBounds:
    """The bounds of a sum for some candidates.

    Args:
        condition: on the sum.
        candidates: by variable.
    """

    def __init__(self, condition: SumCondition, candidates: Mapping[str, Candidates]) -> None:
        self._condition = condition
        self._shares = {v: _Share.of(terms, candidates[v].frame) for v, terms in condition.terms.items()}
        self._slack = _SLACK * (abs(condition.constant) + sum(share.size for share in self._shares.values()))

    def possible(self, partial: BoundRows) -> Bools | None:
        """Of which partial matches the condition can still be true; `None`: all its variables are bound, or none is."""
        shares = self._shares
        missing = [share for v, share in shares.items() if v not in partial]
        if len(missing) in (0, len(shares)):
            return None
        bound = [shares[v].values[rows] for v, rows in partial.items() if v in shares]
        with np.errstate(invalid="ignore"):
            known = np.sum(bound, axis=0) + self._condition.constant
        # What is not a number compares as false: nothing is dropped then.
        least, greatest = sum(share.least for share in missing), sum(share.greatest for share in missing)
        with np.errstate(invalid="ignore"):
            above: Bools = (known + least > self._slack) & self._condition.falls
            below: Bools = (known + greatest < -self._slack) & self._condition.rises
        return ~(above | below)
