"""Arithmetic of single values, and as much of it as SPARQL can say."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.expressions import OPERATORS, RefusedError
from kaicep.expressions.frames import FIRST_MOMENT, LAST_MOMENT, moment_of
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


def test_moments_beyond_the_calendar_are_unbound() -> None:
    later = OPERATORS["+"].scalar(binary("+", column(DATETIME), column(DURATION), DATETIME))
    earlier = OPERATORS["-"].scalar(binary("-", column(DATETIME), column(DURATION), DATETIME))
    apart = OPERATORS["-"].scalar(binary("-", column(DATETIME), column(DATETIME), DURATION))
    assert later is not None
    assert earlier is not None
    assert apart is not None
    assert (later(LAST_MOMENT - 1, 1), later(LAST_MOMENT, 1)) == (LAST_MOMENT, None)
    assert (earlier(FIRST_MOMENT + 1, 1), earlier(FIRST_MOMENT, 1)) == (FIRST_MOMENT, None)
    assert apart(LAST_MOMENT, FIRST_MOMENT) == LAST_MOMENT - FIRST_MOMENT


def test_durations_beyond_64_bits_are_unbound() -> None:
    longer = OPERATORS["+"].scalar(binary("+", column(DURATION), column(DURATION), DURATION))
    assert longer is not None
    assert (longer(2**62, 2**62 - 1), longer(2**62, 2**62)) == (2**63 - 1, None)


def test_a_moment_moved_in_sparql_stays_in_the_calendar() -> None:
    second = timedelta(seconds=1)
    last = repr(moment_of(LAST_MOMENT) - second)
    assert in_sparql("+", DATETIME, DURATION, second) == f"IF(?a <= {last}, ?a - {-second!r}, 1/0)"
    first = repr(moment_of(FIRST_MOMENT) + second)
    assert in_sparql("-", DATETIME, DURATION, second) == f"IF(?a >= {first}, ?a - {second!r}, 1/0)"
    with pytest.raises(RefusedError, match="longer than the calendar"):
        in_sparql("-", DATETIME, DURATION, timedelta(days=4_000_000))


def test_sparql_says_what_engines_agree_on() -> None:
    assert in_sparql("+", DOUBLE, INTEGER) == "(?a - (- ?b))"
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
