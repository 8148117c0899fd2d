"""Which integers may leave 64 bits, and the column of the doubles that go on in their place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kaicep.language.nodes import Aggregate, Expression, Unary, ValueType, columns_of
from kaicep.language.nodes.integer_width import companion_of, is_wide
from support.columns import BOOLEAN, DOUBLE, HERE, INTEGER, binary, call, column

A, B = column(INTEGER, "a"), column(INTEGER, "b")
SUM = binary("+", A, B, INTEGER)
WIDE = replace(A, wide=True)


@pytest.mark.parametrize(
    ("e", "wide"),
    [
        (A, False),
        (WIDE, True),
        (binary("%", WIDE, B, INTEGER), True),
        (binary("=", WIDE, B, BOOLEAN), False),
        (SUM, True),
        (binary("%", A, B, INTEGER), False),
        (binary("%", SUM, B, INTEGER), True),
        (binary("/", A, B, DOUBLE), False),
        (Unary("-", A, INTEGER, HERE), True),
        (call("ABS", INTEGER, A), True),
        (call("COALESCE", INTEGER, A, B), False),
        (call("COALESCE", INTEGER, A, SUM), True),
        (call("FLOOR", INTEGER, SUM), True),
        (Aggregate("SUM", "e", A, INTEGER, HERE), True),
        (Aggregate("MAX", "e", A, INTEGER, HERE), False),
        (Aggregate("MAX", "e", SUM, INTEGER, HERE), True),
        (Aggregate("COUNT", "e", SUM, INTEGER, HERE), False),
    ],
)
def test_which_integers_may_leave(e: Expression, wide: bool) -> None:
    assert is_wide(e) is wide


def test_with_a_column_that_may_have_left_comes_that_of_the_doubles() -> None:
    """Whoever projects what an expression reads has both."""
    double = companion_of(WIDE)
    assert (double.name, double.type) == ("a~double", ValueType.DOUBLE)
    assert columns_of(binary("+", WIDE, B, INTEGER)) == (double, WIDE, B)
    assert columns_of(SUM) == (A, B)
