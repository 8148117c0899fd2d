"""Expressions taken apart: conjuncts, and keys that leave out where something stands."""

from __future__ import annotations

from kaicep.language import Span
from kaicep.language.nodes import (
    Aggregate,
    Binary,
    Column,
    Constant,
    Expression,
    Membership,
    ValueType,
    conjuncts,
    structural_key,
    with_operands,
)

HERE = Span(0, 0)
X = Column("b", "x", ValueType.DOUBLE, HERE)
N = Column("b", "n", ValueType.INTEGER, HERE)


def test_conjuncts_are_cut_at_the_outermost_ands() -> None:
    a, b = (Binary("=", X, Constant(n, ValueType.INTEGER, HERE), ValueType.BOOLEAN, HERE) for n in (1, 2))
    both = Binary("AND", a, b, ValueType.BOOLEAN, HERE)
    either = Binary("OR", both, a, ValueType.BOOLEAN, HERE)
    assert conjuncts(Binary("AND", either, both, ValueType.BOOLEAN, HERE)) == (either, a, b)


def test_structural_keys_leave_out_places_and_tell_types_apart() -> None:
    assert structural_key(X) == structural_key(Column("b", "x", ValueType.DOUBLE, Span(4, 9)))
    one, true = Constant(1, ValueType.INTEGER, HERE), Constant(value=True, type=ValueType.INTEGER, span=HERE)
    assert structural_key(one) != structural_key(true)
    of_double, of_integer = (Aggregate("AVG", "b", argument, ValueType.DOUBLE, HERE) for argument in (X, N))
    assert structural_key(of_double) != structural_key(of_integer)


def test_operands_are_changed_wherever_an_operation_has_some() -> None:
    def to_n(_operand: Expression) -> Expression:
        return N

    one = Constant(1, ValueType.INTEGER, HERE)
    assert with_operands(Binary("<", X, one, ValueType.BOOLEAN, HERE), to_n) == Binary(
        "<", N, N, ValueType.BOOLEAN, HERE
    )
    inside = Membership(X, (one,), ValueType.BOOLEAN, HERE)
    assert with_operands(inside, to_n) == Membership(N, (one,), ValueType.BOOLEAN, HERE)
    assert with_operands(X, to_n) is X
