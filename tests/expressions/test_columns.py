"""Expressions over columns have SPARQL's meaning (docs/semantics.md 2.4): logic, comparisons, all by the oracle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.expressions.columns import column_expression, plain_name
from kaicep.language.nodes.expression import Aggregate, BinaryOperator, Binding, Expression, Membership, Unary
from kaicep.language.nodes.types import ValueType
from oracle.events import Event
from oracle.expressions import Candidate, Scope, item
from support.columns import (
    BOOLEAN,
    DATETIME,
    DOUBLE,
    HERE,
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
    typed,
    values,
)

TRUTHS = [(a, b) for a in (True, False, None) for b in (True, False, None)]


def test_logic_has_three_values() -> None:
    assert of_pairs("AND", BOOLEAN, BOOLEAN, TRUTHS) == [True, False, None, False, False, False, None, False, None]
    assert of_pairs("OR", BOOLEAN, BOOLEAN, TRUTHS) == [True, True, True, True, False, None, True, None, None]
    no = Unary("NOT", column(BOOLEAN), BOOLEAN, HERE)
    assert values(no, a=(BOOLEAN, [True, False, None])) == [False, True, None]


def test_effective_boolean_values() -> None:
    def truth(of: ValueType, given: Sequence[Any]) -> list[Any]:
        e = binary("AND", column(of), constant(value=True, of=BOOLEAN))
        return values(e, a=(of, given))

    assert truth(INTEGER, [0, 3, None]) == [False, True, None]
    assert truth(DOUBLE, [0.0, -0.0, 0.1, NAN, None]) == [False, False, True, False, None]
    assert truth(STRING, ["", "false", None]) == [False, True, None]
    assert truth(DATETIME, [MOMENT]) == [None]
    terms = [typed("0", "integer"), typed("true", "boolean"), '"x"@en', '""', "<http://x>", None]
    assert truth(TERM, terms) == [False, True, True, False, None, None]


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


def test_membership() -> None:
    words = tuple(constant(word, STRING) for word in ("a", "ä"))
    inside = Membership(column(STRING), words, BOOLEAN, HERE)
    assert values(inside, a=(STRING, ["a", "b", "ä", None])) == [True, False, True, None]
    outside = Unary("NOT", inside, BOOLEAN, HERE)
    assert values(outside, a=(STRING, ["a", "b", None])) == [False, True, None]
    numbers = (constant(1, INTEGER), constant(2.5, DOUBLE))
    found = values(Membership(column(DOUBLE), numbers, BOOLEAN, HERE), a=(DOUBLE, [1.0, 2.5, NAN, 3.0, None]))
    assert found == [True, True, False, False, None]
    mixed = (constant("x", STRING), constant(1, INTEGER))
    found = values(Membership(column(TERM), mixed, BOOLEAN, HERE), a=(TERM, [typed("1", "byte"), '"y"', "<http://x>"]))
    assert found == [True, None, False]


@pytest.mark.parametrize("operator", ["=", "<="])
def test_a_constant_compares_with_what_is_unbound_in_all_rows(operator: BinaryOperator) -> None:
    filled = call("COALESCE", DOUBLE, column(DOUBLE), constant(0, INTEGER))
    e = binary(operator, constant(0, INTEGER), filled)
    frame = pl.DataFrame({"a": [None, None]}, schema={"a": pl.Float64})
    assert frame.select("a", column_expression(e).alias("e"))["e"].to_list() == [True, True]


def test_names_of_columns() -> None:
    assert plain_name(column(STRING, "x")) == "x"
    assert plain_name(Binding("e", "room", IRI, HERE)) == "?room"
    aggregate = Aggregate("AVG", "e", column(DOUBLE), DOUBLE, HERE)
    with pytest.raises(ValueError, match=r"^AVG has no column among candidates$"):
        plain_name(aggregate)
    e = binary(">", aggregate, constant(1, INTEGER))
    frame = pl.DataFrame({"#0": [0.5, 2.0]})
    assert frame.select(column_expression(e, lambda _: "#0")).to_series().to_list() == [False, True]


numbers = st.one_of(st.none(), st.integers(-9, 9), st.sampled_from([0.5, -0.0, 2.5, 1e300, INF, NAN]))


@settings(deadline=None)
@given(st.data(), st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6))
def test_expressions_equal_the_oracle(data: st.DataObject, rows: list[tuple[Any, Any]]) -> None:
    rows = [(int(a) if a is not None and math.isfinite(a) and abs(a) < 99 else None, b) for a, b in rows]
    rows = [(a, None if b is None else float(b)) for a, b in rows]
    e = data.draw(conditions)
    found = values(e, a=(INTEGER, [a for a, _ in rows]), b=(DOUBLE, [b for _, b in rows]))
    assert repr(found) == repr([by_oracle(e, a, b) for a, b in rows])


def by_oracle(e: Expression, a: int | None, b: float | None) -> Any:
    bound = {name: value for name, value in (("a", a), ("b", b)) if value is not None}
    candidate = Candidate(Event("urn:x", MOMENT, bound))
    return item(e, Scope({"e": candidate}, {}))


integers = st.one_of(st.just(column(INTEGER, "a")), st.integers(-3, 3).map(lambda n: constant(n, INTEGER)))
reals = st.one_of(st.just(column(DOUBLE, "b")), st.sampled_from([0.0, 2.5]).map(lambda x: constant(x, DOUBLE)))
whole = st.one_of(
    integers,
    st.builds(lambda o, x, y: binary(o, x, y, INTEGER), st.sampled_from(["+", "-", "*", "%"]), integers, integers),
)
operands = st.one_of(
    whole,
    reals,
    st.builds(lambda x, y: binary("/", x, y, DOUBLE), whole, whole),
    st.builds(lambda o, x, y: binary(o, x, y, DOUBLE), st.sampled_from(["+", "-", "*", "/", "%"]), whole, reals),
    st.builds(lambda f, x: call(f, DOUBLE, x), st.sampled_from(["ABS", "FLOOR", "CEIL"]), reals),
    st.builds(lambda x, y: call("COALESCE", DOUBLE, x, y), reals, whole),
)
comparisons = st.builds(binary, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), operands, operands)
conditions = st.recursive(
    st.one_of(comparisons, st.builds(lambda x: call("BOUND", BOOLEAN, x), st.one_of(integers, reals))),
    lambda inner: st.one_of(
        st.builds(binary, st.sampled_from(["AND", "OR"]), inner, inner),
        st.builds(lambda x: Unary("NOT", x, BOOLEAN, HERE), inner),
        st.builds(lambda c, x, y: call("IF", BOOLEAN, c, x, y), inner, inner, inner),
    ),
    max_leaves=4,
)
