"""Equality as codes: what is equal in SPARQL has one code (docs/semantics.md 2.4)."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from kaicep.cep.order.join_keys import combine, group_codes, joint_codes, key_expressions, row_tuples, stable_order
from kaicep.expressions import plain_name
from kaicep.language.nodes import Binary
from support.operators import compiled


def keys(left: str, right: str) -> tuple[pl.Expr, pl.Expr] | None:
    text = f"SELECT ?a.n FROM (?a, readings), (?b, readings) JOIN ({left} = {right}) WINDOW (?a, ?b, 5s)"
    (join,) = compiled(text).joins
    assert isinstance(join, Binary)
    return key_expressions(join.left, join.right, plain_name)


def test_an_integer_equals_a_double_of_its_value_and_nan_equals_nothing() -> None:
    pair = keys("?a.n", "?b.x")
    assert pair is not None
    frame = pl.DataFrame({"n": [1, 0, None], "x": [1.0, -0.0, math.nan]})
    assert frame.select(pair[0].alias("n"), pair[1].alias("x")).rows() == [(1.0, 1.0), (0.0, 0.0), (None, None)]


@pytest.mark.parametrize(("left", "right"), [("?a.note", "?b.sensor"), ("?a.timestamp", "?b.timestamp")])
def test_values_of_one_type_are_compared_as_they_are(left: str, right: str) -> None:
    pair = keys(left, right)
    assert pair is not None
    assert [e.meta.output_name() for e in pair] == [left[3:], right[3:]]


def test_joint_codes_are_comparable_between_columns() -> None:
    a, b = joint_codes([pl.Series(["p", None, "q"]), pl.Series(["q", "p", None])])
    assert (a[0], a[2]) == (b[1], b[0])
    assert a[1] == b[2] == -1, "unbound equals nothing"
    a, b = joint_codes([pl.Series(["p", None]), pl.Series([None, "r"])], nulls_match=True)
    assert a[1] == b[0] >= 0, "in PARTITION BY unbound is a value"


def test_columns_that_are_the_same_have_the_same_codes() -> None:
    far = pl.Series([10**12, 5, 10**12])
    one, other, same = joint_codes([far, pl.Series([5, 10**12]), far])
    assert one.tolist() == same.tolist()
    assert other.tolist() == [one[1], one[0]]
    unbound = pl.Series([5, None, 10**12])
    codes = [of.tolist() for of in joint_codes([unbound, unbound])]
    assert codes[0] == codes[1]
    assert codes[0][1] == -1


def test_integers_close_together_are_codes_by_themselves() -> None:
    """Signed or not, at the ends of their range too; others are looked up."""
    for numbers in ([7, 9, 7, 8], [2**63 - 1, 2**63 - 3, 2**63 - 1], [-(2**63), 2**63 - 1, -(2**63)], [0, 10**9]):
        (codes,) = joint_codes([pl.Series(numbers, dtype=pl.Int64)])
        assert codes.dtype == np.int64
        assert codes.min() == 0
        assert (codes[:, None] == codes).tolist() == [[one == other for other in numbers] for one in numbers]
    (codes,) = joint_codes([pl.Series([2, 250, 2], dtype=pl.UInt8)])
    assert codes[0] == codes[2] != codes[1]


def test_combined_codes_are_equal_where_both_parts_are() -> None:
    first, second = [np.array([0, 0, 1, -1])], [np.array([5, 6, 5, 5])]
    (codes,) = combine(first, second)
    assert len(set(codes.tolist())) == 4
    assert codes[3] == -1


def test_groups_tell_all_columns_apart_and_unbound_is_one() -> None:
    codes = group_codes([pl.Series([1, 1, None, None]), pl.Series(["a", "b", "a", "a"])]).tolist()
    assert codes[2] == codes[3]
    assert len(set(codes)) == 3


def test_rows_as_keys_have_one_nan_and_moments_as_numbers() -> None:
    columns = [pl.Series([math.nan, 1.0]), pl.Series([5, None], dtype=pl.Datetime("us", "UTC"))]
    assert row_tuples(columns) == [("NaN", 5), (1.0, None)]


def test_equal_codes_keep_their_order() -> None:
    for codes in ([2, 1, 2, 1], [2, -1, 2, -1], [2**20, 1, 2**20, 1]):
        assert stable_order(np.array(codes)).tolist() == [1, 3, 0, 2]
