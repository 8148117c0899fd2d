"""Expressions taken apart: conjuncts, and keys that leave out where something stands; kinds of patterns and windows."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.language import Span
from kaicep.language.nodes import (
    Aggregate,
    BatchWindow,
    Binary,
    Column,
    Conjunction,
    Constant,
    Element,
    Expression,
    HoppingWindow,
    Link,
    Membership,
    Negation,
    Pattern,
    Quantifier,
    Sequence,
    SlidingWindow,
    ValueType,
    Window,
    conjuncts,
    is_plain_sequence,
    slides_by_time,
    structural_key,
    with_operands,
)

HERE = Span(0, 0)
X = Column("b", "x", ValueType.DOUBLE, HERE)
N = Column("b", "n", ValueType.INTEGER, HERE)
A, B = Element("a", None, HERE), Element("b", None, HERE)
MANY = Element("a", Quantifier(1, None, Link.ANY, every_length=False, until=None, span=HERE), HERE)
MINUTE = timedelta(minutes=1)


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


@pytest.mark.parametrize("pattern", [None, A, Sequence((A, B), (Link.ANY,), HERE)])
def test_single_events_one_after_the_other_are_a_plain_sequence(pattern: Pattern | None) -> None:
    assert is_plain_sequence(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        MANY,
        Sequence((A, B), (Link.STRICT,), HERE),
        Sequence((A, B, A), (Link.ANY, Link.NEXT), HERE),
        Sequence((MANY, B), (Link.ANY,), HERE),
        Sequence((A, Negation("n", None, HERE), B), (Link.ANY, Link.ANY), HERE),
        Conjunction((A, B), HERE),
        Sequence((A, Conjunction((A, B), HERE)), (Link.ANY,), HERE),
    ],
)
def test_whatever_repeats_denies_or_passes_over_less_is_none(pattern: Pattern) -> None:
    assert not is_plain_sequence(pattern)


def test_a_window_slides_by_time_in_each_group_by_itself() -> None:
    others: tuple[Window, ...] = (
        SlidingWindow("e", 5, HERE),
        SlidingWindow("e", MINUTE, HERE, shared=True),
        BatchWindow("e", MINUTE, None, HERE),
        HoppingWindow("e", MINUTE, MINUTE, HERE),
    )
    assert slides_by_time(SlidingWindow("e", MINUTE, HERE))
    assert not any(map(slides_by_time, others))
