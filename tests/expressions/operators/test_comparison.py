"""Comparisons over columns, single values and in SPARQL."""

from __future__ import annotations

from datetime import timedelta

import polars as pl
import pytest
from kaicep.expressions import OPERATORS, RefusedError
from kaicep.expressions.columns import column_expression
from kaicep.language.nodes.expression import BinaryOperator
from support.columns import (
    BOOLEAN,
    DATETIME,
    DOUBLE,
    INF,
    INTEGER,
    IRI,
    MOMENT,
    NAN,
    STRING,
    TERM,
    binary,
    call,
    column,
    constant,
    of_pairs,
    values,
)


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "="])
def test_nan_compares_with_nothing(operator: BinaryOperator) -> None:
    pairs = [(NAN, 1.0), (1.0, NAN), (NAN, NAN), (NAN, None), (None, NAN), (NAN, INF), (-INF, NAN)]
    assert of_pairs(operator, BOOLEAN, DOUBLE, pairs) == [False, False, False, None, None, False, False]
    nan = constant(NAN, DOUBLE)
    assert values(binary(operator, column(DOUBLE), nan), a=(DOUBLE, [1.0, NAN, None])) == [False, False, None]
    assert values(binary(operator, nan, column(DOUBLE)), a=(DOUBLE, [1.0, NAN, None])) == [False, False, None]


def test_nan_differs_from_everything() -> None:
    pairs = [(NAN, 1.0), (1.0, NAN), (NAN, NAN), (NAN, None), (None, NAN), (0.0, -0.0)]
    assert of_pairs("!=", BOOLEAN, DOUBLE, pairs) == [True, True, True, None, None, False]


def test_integers_compare_with_doubles_by_value() -> None:
    e = binary("<=", column(INTEGER), constant(2.5, DOUBLE))
    assert values(e, a=(INTEGER, [2, 3, None])) == [True, False, None]
    beyond = binary("<", column(INTEGER), constant(2**70, INTEGER))
    assert values(beyond, a=(INTEGER, [2**63 - 1, None])) == [True, None]


def test_order_of_strings_is_by_code_points() -> None:
    assert of_pairs("<", BOOLEAN, STRING, [("Z", "a"), ("z", "ä"), ("\uffff", "\U0001f600"), ("a", None)]) == [
        True,
        True,
        True,
        None,
    ]


def test_order_of_booleans_and_moments() -> None:
    assert of_pairs("<", BOOLEAN, BOOLEAN, [(False, True), (True, True), (None, True)]) == [True, False, None]
    assert of_pairs(">", BOOLEAN, DATETIME, [(MOMENT, MOMENT), (MOMENT, MOMENT - timedelta(1))]) == [False, True]


def test_literals_of_different_kinds_are_an_error_and_iris_are_no_literals() -> None:
    a = {"a": (STRING, ["5", None])}
    assert values(binary("=", column(STRING), constant(5, INTEGER)), **a) == [None, None]
    assert values(binary("!=", column(STRING), constant("5", IRI)), **a) == [True, None]
    assert values(binary("<", column(STRING), constant("5", IRI)), **a) == [None, None]
    assert values(binary("<", column(IRI), constant("z", IRI)), a=(IRI, ["a"])) == [None]


@pytest.mark.parametrize("operator", ["=", "<="])
def test_a_constant_compares_with_what_is_unbound_in_all_rows(operator: BinaryOperator) -> None:
    filled = call("COALESCE", DOUBLE, column(DOUBLE), constant(0, INTEGER))
    e = binary(operator, constant(0, INTEGER), filled)
    frame = pl.DataFrame({"a": [None, None]}, schema={"a": pl.Float64})
    assert frame.select("a", column_expression(e).alias("e"))["e"].to_list() == [True, True]


def test_python_compares_what_it_compares_as_sparql_does() -> None:
    less = OPERATORS["<"]
    kernel = less.scalar(binary("<", column(INTEGER), column(DOUBLE)))
    assert kernel is not None
    assert kernel(1, 1.5)
    assert not kernel(NAN, 1.0)
    assert less.scalar(binary("<", column(IRI), column(IRI))) is None
    assert less.scalar(binary("<", column(TERM), column(DOUBLE))) is None
    assert OPERATORS["="].scalar(binary("=", column(IRI), column(IRI))) is not None


def test_sparql_has_no_order_for_booleans_and_nothing_for_terms() -> None:
    text = OPERATORS["<="].sparql(binary("<=", column(STRING), column(STRING)), "?a", "?b", str)
    assert text == "(?a <= ?b)"
    with pytest.raises(RefusedError, match="SPARQL has no order for a boolean"):
        OPERATORS["<"].sparql(binary("<", column(BOOLEAN), column(BOOLEAN)), "?a", "?b", str)
    with pytest.raises(RefusedError, match="known at run time only"):
        OPERATORS["="].sparql(binary("=", column(TERM), column(STRING)), "?a", "?b", str)
