"""Aggregates over a run or the content of a window; importing this module teaches `value` to evaluate them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from typing import Any

from kaicep.language.nodes.expression import Aggregate
from kaicep.language.nodes.traversal import aggregates_of
from kaicep.language.nodes.types import ValueType

from .expressions import Candidate, NothingBefore, Scope, bound, item, value
from .values import Value, inside, plain


@value.register
def _(expression: Aggregate, scope: Scope) -> Value:
    if expression.running:
        before = scope.earlier.get(expression.variable, ())
        if not before and expression.function not in ("COUNT", "SUM"):
            raise NothingBefore
        return bound(aggregate(expression, replace(scope, runs={**scope.runs, expression.variable: before})))
    return bound(aggregate(expression, scope))


def aggregate(expression: Aggregate, scope: Scope) -> Value | None:
    """The value of an aggregate over what its variable runs over; `None` when it is unbound."""
    run = scope.runs.get(expression.variable, ())
    if expression.function in ("OLD", "NEW"):
        return changed(expression, scope, run)
    if expression.argument is None:
        return len(run)
    given = [item(expression.argument, Scope({**scope.chosen, expression.variable: c}, scope.runs)) for c in run]
    values: list[Any] = [v for v in given if v is not None]
    if expression.argument.type is ValueType.INTEGER and any(isinstance(v, float) for v in values):
        values = list(map(float, values))  # one of them has left 64 bits
    if expression.function == "COUNT":
        return len(set(values)) if expression.distinct else len(values)
    if expression.function in ("FIRST", "LAST"):
        return _end_of(values, expression.function, int((*expression.parameters, 0)[0]))
    if expression.function == "LIST":
        return tuple(values) or None
    fitting = [v for v in map(plain, values) if _fits(v, expression.function)]
    result = _AGGREGATES[expression.function](fitting, *expression.parameters)
    return float(result) if expression.type is ValueType.DOUBLE and result is not None else result


def changed(expression: Aggregate, scope: Scope, run: Sequence[Candidate]) -> Value | None:
    """The value at the older or the newer of two events, or of an aggregate at the report before."""
    assert expression.argument is not None
    if aggregates_of(expression.argument):
        return None if scope.before is None else item(expression.argument, scope.before)
    if not run or (expression.function == "OLD" and len(run) == 1):
        return None
    chosen = run[0] if expression.function == "OLD" else run[-1]
    return item(expression.argument, Scope({**scope.chosen, expression.variable: chosen}, scope.runs))


def _end_of(values: Sequence[Value], function: str, offset: int) -> Value | None:
    """So many after the first, or before the last; beyond the run nothing."""
    inward = values if function == "FIRST" else values[::-1]
    return inward[offset] if offset < len(inward) else None


def _fits(v: Value, function: str) -> bool:
    """Numbers for arithmetic, anything that is ordered for MIN, MAX and MODE."""
    number = isinstance(v, int | float) and not isinstance(v, bool)
    return number or (function in ("MIN", "MAX", "MODE") and isinstance(v, str | datetime | bool))


def _sum(values: Sequence[int | float]) -> int | float:
    if all(isinstance(v, int) for v in values):
        total = sum(values)
        return total if inside(int(total)) else float(total)
    return math.fsum(values)


def _average(values: Sequence[int | float]) -> float | None:
    """The exact sum, rounded once, by the number of values."""
    return float(_sum(values)) / len(values) if values else None


def _deviation(values: Sequence[int | float]) -> float | None:
    """The sample standard deviation, by exact fractions; unbound of fewer than two values."""
    if len(values) < 2:
        return None
    if not all(math.isfinite(v) for v in values):
        return math.nan
    exact = [Fraction(v) for v in values]
    mean = sum(exact, Fraction()) / len(exact)
    return math.sqrt(sum(((v - mean) ** 2 for v in exact), Fraction()) / (len(exact) - 1))


def _percentile(values: Sequence[int | float], percent: float) -> float | None:
    """Where `percent` of the way from the first of the sorted values to the last is; between two of them linear."""
    if not values or any(math.isnan(v) for v in values):
        return math.nan if values else None
    ordered = sorted(float(v) for v in values)
    way = (len(ordered) - 1) * (percent / 100)
    before, after = ordered[math.floor(way)], ordered[math.ceil(way)]
    part = way - math.floor(way)
    return before if before == after else before * (1 - part) + after * part


def _mode(values: Sequence[Any]) -> Any:
    """Not a number is one value, and greater than all numbers."""
    numbers = [v for v in values if v == v]  # noqa: PLR0124  # NaN is unlike itself
    often = {v: numbers.count(v) for v in numbers}
    most = max(often.values(), default=0)
    if len(values) - len(numbers) > most:
        return math.nan
    return min((v for v, count in often.items() if count == most), default=None)


_AGGREGATES: dict[str, Callable[..., Any]] = {
    "AVG": _average,
    "SUM": _sum,
    "MIN": lambda values: min(values, default=None),
    "MAX": lambda values: max(values, default=None),
    "STDDEV": _deviation,
    "MEDIAN": lambda values: _percentile(values, 50),
    "PERCENTILE": _percentile,
    "MODE": _mode,
}
