"""Arithmetic over columns: integers, doubles, moments and durations (docs/semantics.md 2.5)."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.language.nodes.expression import BinaryOperator, Unary
from support.columns import (
    DATETIME,
    DOUBLE,
    DURATION,
    HERE,
    INF,
    INTEGER,
    MOMENT,
    NAN,
    binary,
    column,
    constant,
    of_pairs,
    values,
)

INTEGERS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (5, 0), (None, 1), (1, None)]


def test_division_of_integers() -> None:
    assert of_pairs("/", DOUBLE, INTEGER, INTEGERS) == [3.5, -3.5, -3.5, 3.5, 2.0, None, None, None]
    assert of_pairs("%", INTEGER, INTEGER, INTEGERS) == [1, -1, 1, -1, 0, None, None, None]


@pytest.mark.parametrize(("operator", "pair"), [("+", (2**63 - 1, 1)), ("-", (-(2**63), 1)), ("*", (2**40, 2**40))])
def test_integers_beyond_64_bits_are_unbound(operator: BinaryOperator, pair: tuple[int, int]) -> None:
    assert of_pairs(operator, INTEGER, INTEGER, [pair, (6, 3)]) == [None, {"+": 9, "-": 3, "*": 18}[operator]]
    minus = Unary("-", column(INTEGER), INTEGER, HERE)
    assert values(minus, a=(INTEGER, [-(2**63), 5])) == [None, -5]


def test_doubles_follow_ieee() -> None:
    pairs = [(1.0, 0.0), (-1.0, 0.0), (0.0, 0.0), (1.0, -0.0), (INF, INF), (None, 0.0), (7.0, 2.0)]
    assert repr(of_pairs("/", DOUBLE, DOUBLE, pairs)) == "[inf, -inf, nan, -inf, nan, None, 3.5]"
    pairs = [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (1.0, 0.0), (1e300, 3.0), (None, 1.0), (1.0, INF)]
    found = of_pairs("%", DOUBLE, DOUBLE, pairs)
    assert repr(found) == f"[1.5, -1.5, 1.5, nan, {math.fmod(1e300, 3.0)!r}, None, 1.0]"
    minus = Unary("-", column(DOUBLE), DOUBLE, HERE)
    assert repr(values(minus, a=(DOUBLE, [0.0, 1.5, None]))) == "[-0.0, -1.5, None]"


@settings(deadline=None)
@given(st.lists(st.floats(-1e9, 1e9), min_size=1), st.sampled_from([3.0, 10.0, 0.1, 7e5]))
def test_division_by_a_constant_is_rounded_once(given_values: list[float], divisor: float) -> None:
    e = binary("/", column(DOUBLE), constant(divisor, DOUBLE), DOUBLE)
    assert values(e, a=(DOUBLE, given_values)) == [x / divisor for x in given_values]


def test_arithmetic_of_time() -> None:
    hour = timedelta(hours=1)
    times = {"a": (DATETIME, [MOMENT, None]), "d": (DURATION, [hour, hour])}
    a, d = column(DATETIME, "a"), column(DURATION, "d")
    assert values(binary("+", a, d, DATETIME), **times) == [MOMENT + hour, None]
    assert values(binary("-", a, d, DATETIME), **times) == [MOMENT - hour, None]
    assert values(binary("-", a, a, DURATION), **times) == [timedelta(0), None]
    assert values(binary("*", d, constant(1.5, DOUBLE), DURATION), **times) == [1.5 * hour] * 2
    assert values(binary("*", constant(3, INTEGER), d, DURATION), **times) == [3 * hour] * 2
    assert values(binary("/", d, constant(7, INTEGER), DURATION), **times) == [hour / 7] * 2
    assert values(binary("/", d, constant(hour / 4, DURATION), DOUBLE), **times) == [4.0] * 2
    assert values(binary("/", d, constant(timedelta(0), DURATION), DOUBLE), **times) == [None] * 2
    assert values(binary("*", d, constant(NAN, DOUBLE), DURATION), **times) == [None] * 2
    assert values(Unary("-", d, DURATION, HERE), **times) == [-hour] * 2
