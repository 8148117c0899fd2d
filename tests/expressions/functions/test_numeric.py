"""Functions of numbers over columns."""

from __future__ import annotations

from support.columns import (
    DOUBLE,
    INF,
    INTEGER,
    NAN,
    call,
    column,
    constant,
    values,
)

ROUNDED = [0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, -0.5000000000000001, 2**52 + 1.0, INF, None]


def test_rounding_goes_half_towards_positive_infinity() -> None:
    found = values(call("ROUND", DOUBLE, column(DOUBLE)), a=(DOUBLE, ROUNDED))
    assert found == [1.0, 0.0, 2.0, 3.0, -2.0, 0.0, -1.0, 2**52 + 1.0, INF, None]
    assert repr(values(call("ROUND", DOUBLE, column(DOUBLE)), a=(DOUBLE, [NAN]))) == "[nan]"


def test_numeric_functions() -> None:
    a = {"a": (DOUBLE, [-1.5, 1.2, None])}
    assert values(call("FLOOR", DOUBLE, column(DOUBLE)), **a) == [-2.0, 1.0, None]
    assert values(call("CEIL", DOUBLE, column(DOUBLE)), **a) == [-1.0, 2.0, None]
    assert values(call("ABS", DOUBLE, column(DOUBLE)), **a) == [1.5, 1.2, None]
    n = {"a": (INTEGER, [-3, 2**62 + 1, -(2**63), None])}
    assert values(call("ABS", INTEGER, column(INTEGER)), **n) == [3, 2**62 + 1, None, None]
    for function in ("ROUND", "FLOOR", "CEIL"):
        assert values(call(function, INTEGER, column(INTEGER)), **n) == [-3, 2**62 + 1, -(2**63), None]


def test_conversion_multiplies_and_adds() -> None:
    of_celsius = call("CONVERT", DOUBLE, column(INTEGER), constant(1.8, DOUBLE), constant(32.0, DOUBLE))
    assert values(of_celsius, a=(INTEGER, [20, -40, None])) == [68.0, -40.0, None]
