"""What of an event the conditions of runs look at: columns that are computed for whole batches.

Everything in a condition that speaks of one event alone is a column: Python compares what is left. An event is a tuple
of `T` (microseconds), its number in the total order, the number of the event before it, its row, and those columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, assert_never

import polars as pl

from ...expressions import column_expression, takes_numbers, terms
from ...language.nodes import (
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
    structural_key,
    walk,
)

__all__ = ["BEFORE", "FIRST_COLUMN", "NUMBER", "ROW", "TIME", "Event", "EventLayout", "place_of", "speaks_of_one"]

Event = tuple[Any, ...]
"""`T`, number, number of the event before, row, columns."""

TIME, NUMBER, BEFORE, ROW, FIRST_COLUMN = range(5)


@dataclass(slots=True)
class EventLayout:
    """The columns of every variable's events, in order."""

    columns: dict[str, list[tuple[object, pl.Expr]]] = field(default_factory=dict)

    def place(self, e: Expression, *, as_number: bool = False) -> int:
        """Where in the tuples of its variable's events the value of `e`, which speaks of one event, stands.

        Args:
            e: the expression.
            as_number: of RDF terms the number is meant.
        """
        (variable,) = _variables(e)
        known = self.columns.setdefault(variable, [])
        mark = (structural_key(e), as_number)
        for position, (other, _) in enumerate(known):
            if other == mark:
                return FIRST_COLUMN + position
        value = column_expression(e)
        known.append((mark, terms.number(value) if as_number else _physical(value, e.type)))
        return FIRST_COLUMN + len(known) - 1

    def key(self, variable: str, key: pl.Expr, of: ValueType) -> int:
        """Where in the tuples of a variable's events the value stands by which they are found (`key_expressions`)."""
        known = self.columns.setdefault(variable, [])
        known.append((("key", len(known)), _physical(key, of)))
        return FIRST_COLUMN + len(known) - 1

    def prepared(self, e: Expression) -> Expression:
        """`e` with all that speaks of one event alone replaced by a column that is called by its place."""
        if speaks_of_one(e):
            return Column(next(iter(_variables(e))), str(self.place(e)), e.type, e.span)
        match e:
            case Unary():
                return replace(e, operand=self.prepared(e.operand))
            case Binary():
                return replace(e, left=self.prepared(e.left), right=self.prepared(e.right))
            case Membership():
                return replace(e, operand=self.prepared(e.operand))
            case Call():
                return replace(e, arguments=tuple(self.prepared(argument) for argument in e.arguments))
            case Aggregate(argument=argument) if argument is not None:
                as_number = takes_numbers(e)
                place = self.place(argument, as_number=as_number)
                of = ValueType.DOUBLE if as_number else argument.type
                return replace(e, argument=Column(e.variable, str(place), of, argument.span))
            case Aggregate() | Column() | Binding() | Constant():
                return e
            case _:
                assert_never(e)

    def values(self, variable: str) -> list[pl.Expr]:
        """The columns of a variable's events, as Polars computes them."""
        return [e.alias(f"#{i}") for i, (_, e) in enumerate(self.columns.get(variable, ()))]


def _physical(value: pl.Expr, of: ValueType) -> pl.Expr:
    """Moments and durations as microseconds."""
    return value.to_physical() if of in (ValueType.DATETIME, ValueType.DURATION) else value


def _variables(e: Expression) -> set[str]:
    return {node.variable for node in walk(e) if isinstance(node, Column | Binding)}


def speaks_of_one(e: Expression) -> bool:
    """Whether all that it speaks of is one event of one variable."""
    looks_further = any(
        isinstance(n, Aggregate) or (isinstance(n, Call) and n.function == Intrinsic.PREV) for n in walk(e)
    )
    return not looks_further and len(_variables(e)) == 1


def place_of(column: Column | Binding) -> int:
    """Where the value of a prepared column stands in its event's tuple."""
    return int(column.name)
