"""Conditions as Python source say of a few values what columns say of many."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.expressions import NOTHING, ScalarSource
from kaicep.language.nodes import Column, Expression, Membership, Unary
from support.columns import (
    BOOLEAN,
    DOUBLE,
    DURATION,
    HERE,
    INTEGER,
    STRING,
    TERM,
    binary,
    call,
    column,
    constant,
    typed,
    values,
)

A, B = column(INTEGER, "a"), column(DOUBLE, "b")
PREVIOUS = call("PREV", DOUBLE, B)


def holds(e: Expression, given_values: dict[str, Any], *, cautious: bool = False) -> bool:
    """Whether the source of a condition says that it is true."""
    source = ScalarSource()

    def leaf(node: Any) -> str:
        return f"x[{node.name if isinstance(node, Column) else 'before'!r}]"

    written = source.cautious(e, leaf, excused=True) if cautious else source.truth(e, leaf)
    return bool(eval(written, source.names | {"x": given_values}))  # noqa: S307 - written by the code under test


CONDITIONS = [
    binary("<", A, B),
    binary("OR", binary("=", A, constant(1, INTEGER)), binary(">", B, constant(0.5, DOUBLE))),
    Unary("NOT", binary("!=", A, B), BOOLEAN, HERE),
    binary(">=", call("COALESCE", DOUBLE, B, A), constant(2, INTEGER)),
    call("IF", BOOLEAN, call("BOUND", BOOLEAN, A), binary("<", A, constant(2, INTEGER)), binary(">", B, A)),
    binary("=", binary("%", A, constant(2, INTEGER), INTEGER), constant(0, INTEGER)),
    binary("<", call("ABS", DOUBLE, B), binary("+", A, constant(1, INTEGER), INTEGER)),
    Membership(A, (constant(1, INTEGER), constant(2.5, DOUBLE)), BOOLEAN, HERE),
]


@pytest.mark.parametrize("e", CONDITIONS, ids=range(len(CONDITIONS)))
@given(
    a=st.one_of(st.none(), st.integers(-3, 3)),
    b=st.one_of(st.none(), st.integers(-3, 3).map(float), st.sampled_from([0.5, math.nan, math.inf])),
)
def test_single_values_follow_the_columns(e: Expression, a: int | None, b: float | None) -> None:
    (by_column,) = values(e, a=(INTEGER, [a]), b=(DOUBLE, [b]))
    assert holds(e, {"a": a, "b": b}) is (by_column is True)


def test_what_stands_before_a_run_excuses_a_condition_and_what_is_unbound_does_not() -> None:
    e = binary(">", B, PREVIOUS)
    assert holds(e, {"b": 1.0, "before": NOTHING}, cautious=True)
    assert not holds(e, {"b": None, "before": NOTHING}, cautious=True)
    assert not holds(e, {"b": 1.0, "before": 2.0}, cautious=True)
    filled = binary(">", B, call("COALESCE", DOUBLE, PREVIOUS, constant(5.0, DOUBLE)))
    assert not holds(filled, {"b": 1.0, "before": NOTHING}, cautious=True)


def test_durations_are_microseconds_and_terms_their_text() -> None:
    e = binary("<", column(DURATION, "d"), constant(timedelta(seconds=1), DURATION))
    assert holds(e, {"d": 999_999})
    assert not holds(e, {"d": 1_000_000})
    of_term = binary("=", column(TERM, "t"), constant(5, INTEGER))
    assert holds(of_term, {"t": typed("5", "integer")})
    assert not holds(of_term, {"t": '"5"'})
    assert holds(binary("=", call("UCASE", STRING, column(STRING, "s")), constant("A", STRING)), {"s": "a"})
