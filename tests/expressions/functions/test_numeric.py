"""Functions of numbers over columns."""

from __future__ import annotations

import pytest
from kaicep.expressions import RefusedError
from kaicep.expressions.functions.numeric import CONVERT
from support.columns import (
    DOUBLE,
    INF,
    INTEGER,
    IRI,
    NAN,
    TERM,
    binary,
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
    named = call("CONVERT", DOUBLE, *of_celsius.arguments, constant("http://qudt.org/vocab/unit/DEG_F", IRI))
    assert values(named, a=(INTEGER, [20, None])) == [68.0, None]


def test_conversion_in_sparql_keeps_the_order_of_its_operations() -> None:
    factor, offset = constant(1.8, DOUBLE), constant(32.0, DOUBLE)
    text = CONVERT.sparql(call("CONVERT", DOUBLE, column(INTEGER), factor, offset), ["?a", "1.8e0", "3.2e1"])
    assert text == "((<http://www.w3.org/2001/XMLSchema#double>(?a) * 1.8e0) - (- 3.2e1))"
    product = binary("*", column(DOUBLE), column(DOUBLE), DOUBLE)
    for value in (product, column(TERM)):
        with pytest.raises(RefusedError, match="the function CONVERT of such a value differs"):
            CONVERT.sparql(call("CONVERT", DOUBLE, value, factor, offset), ["?a", "1.8e0", "3.2e1"])
