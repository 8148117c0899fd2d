"""Conditions as Python source: what `expressions/columns.py` says of whole columns, said of a few values at a time.

Unbound is `None`. Moments and durations are microseconds. Where a condition may look at what stands before the first
event of a run, that is `NOTHING`: it spreads like unbound, but a condition that is `NOTHING` holds
(docs/semantics.md 3.10). What is rare or long is left to Polars, a row at a time, its answers remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any

import polars as pl

from ..language.nodes import (
    Aggregate,
    Binary,
    Binding,
    Call,
    Column,
    Constant,
    Expression,
    Intrinsic,
    Membership,
    Unary,
    ValueType,
    operands,
    wanted_by,
    with_operands,
)
from . import scalar_operators
from .columns import POLARS_TYPES, column_expression
from .frames import micros
from .functions import FUNCTIONS, Given, ScalarFunction
from .operators import OPERATORS

__all__ = ["Leaf", "ScalarSource"]

Leaf = Callable[[Column | Binding | Aggregate | Call], str]
"""The source of a column, an aggregate or a PREV."""

_TIME = (ValueType.DATETIME, ValueType.DURATION)


@dataclass(slots=True)
class ScalarSource:
    """Writes expressions.

    Attributes:
        names: what the source speaks of that is not a built-in.
    """

    names: dict[str, Any] = field(default_factory=lambda: {"V": scalar_operators, "NOTHING": scalar_operators.NOTHING})
    _number: count[int] = field(default_factory=count)

    def name(self, value: object, stem: str) -> str:
        """A name for an object."""
        name = f"{stem}{next(self._number)}"
        self.names[name] = value
        return name

    def cautious(self, e: Expression, leaf: Leaf, *, excused: bool) -> str:
        """Source for leaves that may be `NOTHING`: true when `e` is true, or when it is `NOTHING` and `excused`."""
        return f"V.{'excused' if excused else 'truth'}({self._value(e, leaf, excusing=True)})"

    def truth(self, e: Expression, leaf: Leaf) -> str:
        """Source that is true exactly when `e` is."""
        match e:
            case Binary(operator="AND" | "OR" as operator):
                return f"({self.truth(e.left, leaf)} {OPERATORS[operator].python} {self.truth(e.right, leaf)})"
            case Binary() if _is_written(e):
                return self._comparison(e, leaf, "False")
            case _:
                return f"V.truth({self._value(e, leaf, excusing=False)})"

    def _comparison(self, e: Binary, leaf: Leaf, otherwise: str) -> str:
        tests, sides = [], []
        mixed = {e.left.type, e.right.type} == {ValueType.INTEGER, ValueType.DOUBLE}
        for side in (e.left, e.right):
            written = self._value(side, leaf, excusing=False)
            as_double = mixed and side.type is ValueType.INTEGER  # Python would compare the exact integer
            if isinstance(side, Constant):
                sides.append(repr(float(side.value)) if as_double and isinstance(side.value, int) else written)
                continue
            name = f"t{next(self._number)}"
            tests.append(f"({name} := {written}) is not None")
            sides.append(f"float({name})" if as_double else name)
        compared = f"{sides[0]} {OPERATORS[e.operator].python} {sides[1]}"
        if otherwise == "False":
            return f"({' and '.join([*tests, compared])})"
        return f"(({compared}) if {' and '.join(tests)} else {otherwise})" if tests else f"({compared})"

    def _value(self, e: Expression, leaf: Leaf, *, excusing: bool) -> str:
        match e:
            case Constant():
                return self._constant(e)
            case Column() | Binding() | Aggregate():
                return leaf(e)
            case Call(function=Intrinsic.PREV):
                return leaf(e)
            case Call(function=function) if FUNCTIONS[function].scalar.kernel is not None:
                return self._called(e, FUNCTIONS[function], leaf, excusing=excusing)
            case Binary(operator="AND" | "OR" as operator):
                sides = (self._truth_value(side, leaf, excusing=excusing) for side in (e.left, e.right))
                return f"{self.name(OPERATORS[operator].scalar(e), 'f')}({', '.join(sides)})"
            case Unary(operator="NOT"):
                return f"V.negation({self._truth_value(e.operand, leaf, excusing=excusing)})"
            case Binary() if _is_written(e) and not excusing:
                return self._comparison(e, leaf, "None")
            case _:
                return self._strict(e, leaf, excusing=excusing)

    def _constant(self, e: Constant) -> str:
        if e.type in _TIME:
            return repr(micros(e.value))  # type: ignore[arg-type]  # of that type
        if isinstance(e.value, bool | int | str):
            return repr(e.value)
        return self.name(e.value, "c")

    def _truth_value(self, e: Expression, leaf: Leaf, *, excusing: bool) -> str:
        written = self._value(e, leaf, excusing=excusing)
        return written if e.type is ValueType.BOOLEAN else f"V.effective({written})"

    def _called(self, e: Call, function: ScalarFunction, leaf: Leaf, *, excusing: bool) -> str:
        """A function that has a kernel of its own for single values."""
        scalar, given = function.scalar, function.scalar.given
        kernel = self.name(None if scalar.kernel is None else scalar.kernel(e), "f")
        written = []
        for wanted, argument in zip(wanted_by(function.signature, len(e.arguments)), e.arguments, strict=True):
            if wanted == "one type":
                value = self._converted(argument, e, leaf, excusing=excusing)
                written.append(f"lambda: {value}" if given is Given.DELAYED else value)
            elif wanted == "a boolean":
                written.append(self._truth_value(argument, leaf, excusing=excusing))
            else:
                written.append(self._value(argument, leaf, excusing=excusing))
        arguments = ", ".join(written)
        return f"V.strict({kernel}, {arguments})" if given is Given.BOUND else f"{kernel}({arguments})"

    def _converted(self, argument: Expression, e: Call, leaf: Leaf, *, excusing: bool) -> str:
        """An argument in the type of the call, where that is another one."""
        written = self._value(argument, leaf, excusing=excusing)
        if argument.type is e.type or argument.type is ValueType.BOOLEAN:
            return written
        if e.type is ValueType.DOUBLE and argument.type is ValueType.INTEGER:
            return f"V.as_double({written})"
        if e.type is ValueType.TERM:
            one = Column("", "0", argument.type, argument.span)
            as_term = Call("COALESCE", (one, Constant("", ValueType.TERM, e.span)), ValueType.TERM, e.span)
            return f"V.strict({self._by_polars(as_term, [one])}, {written})"
        return written

    def _strict(self, e: Expression, leaf: Leaf, *, excusing: bool) -> str:
        """An operation that is unbound where an operand is."""
        parts = [e.operand] if isinstance(e, Membership) else list(operands(e))
        written = ", ".join(self._value(part, leaf, excusing=excusing) for part in parts)
        kernel = OPERATORS[e.operator].scalar(e) if isinstance(e, Binary) else None
        if kernel is not None:
            known = self.name(kernel, "f")
            return f"{known}({written})" if not excusing else f"V.strict({known}, {written})"
        stand_ins = [Column("", str(i), part.type, part.span) for i, part in enumerate(parts)]
        left = iter(stand_ins)
        of_stand_ins = with_operands(e, lambda part: _stand_in(part, next(left), e))
        return f"V.strict({self._by_polars(of_stand_ins, stand_ins)}, {written})"

    def _by_polars(self, e: Expression, parts: list[Column]) -> str:
        computed = column_expression(e)
        if e.type in _TIME:
            computed = computed.to_physical()
        types = [POLARS_TYPES[part.type] for part in parts]

        @lru_cache(maxsize=10_000)
        def evaluate(*operands: object) -> object:
            columns = [
                pl.Series(str(i), [operand], dtype=pl.Int64 if of.is_temporal() else of).cast(of)
                for i, (operand, of) in enumerate(zip(operands, types, strict=True))
            ]
            return pl.DataFrame(columns).select(computed.alias("value")).item()

        return self.name(evaluate, "f")


def _is_written(e: Binary) -> bool:
    """Whether Python's own operator means the same of bound values."""
    operator = OPERATORS[e.operator]
    return operator.python is not None and operator.scalar(e) is not None


def _stand_in(part: Expression, column: Column, of: Expression) -> Expression:
    """A column for an operand; functions keep constants, which may be patterns."""
    return part if isinstance(of, Call) and isinstance(part, Constant) else column
