"""Expressions over columns have SPARQL's meaning (docs/semantics.md 2.4): logic, comparisons, all by the oracle."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.expressions.columns import column_expression, plain_name
from kaicep.language.nodes.expression import Aggregate, Binding, Expression, Membership, Unary
from oracle.events import Event
from oracle.expressions import Candidate, Scope, item
from support.columns import (
    BOOLEAN,
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
    typed,
    values,
)


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
