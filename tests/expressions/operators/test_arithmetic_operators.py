"""Arithmetic of single values, and as much of it as SPARQL can say."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.expressions import OPERATORS, RefusedError
from kaicep.language.nodes import BinaryOperator, ValueType
from support.columns import DATETIME, DOUBLE, DURATION, INTEGER, TERM, binary, column, constant, of_pairs

SYMBOLS: list[BinaryOperator] = ["+", "-", "*", "/"]
doubles = st.one_of(st.none(), st.floats(), st.sampled_from([0.0, -0.0]))
integers = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))


def in_sparql(operator: BinaryOperator, left: ValueType, right: ValueType, value: Any = None) -> str:
    other = column(right, "b") if value is None else constant(value, right)
    e = binary(operator, column(left), other, left)
    return OPERATORS[operator].sparql(e, "?a", "?b", lambda node: repr(getattr(node, "value", None)))


@pytest.mark.parametrize("operator", SYMBOLS)
@given(pair=st.tuples(doubles, doubles))
def test_single_doubles_follow_the_columns(operator: BinaryOperator, pair: tuple[float | None, float | None]) -> None:
    kernel = OPERATORS[operator].scalar(binary(operator, column(DOUBLE), column(DOUBLE), DOUBLE))
    assert kernel is not None
    (expected,) = of_pairs(operator, DOUBLE, DOUBLE, [pair])
    assert repr(kernel(*pair)).replace("-nan", "nan") == repr(expected).replace("-nan", "nan")


@pytest.mark.parametrize("operator", ["+", "-", "*"])
@given(pair=st.tuples(integers, integers))
def test_single_integers_follow_the_columns(operator: BinaryOperator, pair: tuple[int | None, int | None]) -> None:
    kernel = OPERATORS[operator].scalar(binary(operator, column(INTEGER), column(INTEGER), INTEGER))
    assert kernel is not None
    assert [kernel(*pair)] == of_pairs(operator, INTEGER, INTEGER, [pair])


RARE: list[tuple[BinaryOperator, ValueType, ValueType]] = [
    ("%", DOUBLE, DOUBLE),
    ("/", INTEGER, INTEGER),
    ("*", DURATION, DOUBLE),
    ("+", TERM, DOUBLE),
]


@pytest.mark.parametrize(("operator", "left", "right"), RARE)
def test_what_is_rare_is_left_to_columns(operator: BinaryOperator, left: ValueType, right: ValueType) -> None:
    assert OPERATORS[operator].scalar(binary(operator, column(left), column(right), DOUBLE)) is None


def test_sparql_says_what_engines_agree_on() -> None:
    assert in_sparql("+", DOUBLE, INTEGER) == "(?a - (- ?b))"
    assert in_sparql("+", DATETIME, DURATION, timedelta(seconds=1)) == f"(?a - {-timedelta(seconds=1)!r})"
    assert in_sparql("-", DATETIME, DATETIME) == "(?a - ?b)"
    assert in_sparql("*", DOUBLE, DOUBLE) == "(?a * ?b)"
    assert "double" in in_sparql("/", DOUBLE, INTEGER)


def test_sparql_refuses_the_rest() -> None:
    with pytest.raises(RefusedError, match="SPARQL has no operator % for a double and a double"):
        in_sparql("%", DOUBLE, DOUBLE)
    with pytest.raises(RefusedError, match="SPARQL divides integers into decimals"):
        in_sparql("/", INTEGER, INTEGER)
    with pytest.raises(RefusedError, match=r"SPARQL has no operator \+ for a duration and a duration"):
        in_sparql("+", DURATION, DURATION)
