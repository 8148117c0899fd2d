"""Columns of terms, of which nothing is known before run time (docs/semantics.md 2.4)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from kaicep.language.nodes.expression import BinaryOperator, Constant
from support.columns import (
    BOOLEAN,
    DATETIME,
    DOUBLE,
    INTEGER,
    IRI,
    STRING,
    TERM,
    binary,
    column,
    constant,
    typed,
    values,
)

TERMS = [
    typed("5", "integer"), typed("5.0", "double"), typed("7", "decimal"), '"a"', '"b"', '"a"@en', "<http://a>",
    typed("true", "boolean"), typed("1", "boolean"), typed("2012-05-07T00:00:00Z", "dateTime"), typed("x", "integer"),
    typed("2012-05-07T02:00:00+02:00", "dateTime"), typed("NaN", "double"), "_:b", None,
]  # fmt: skip


def of_terms(operator: BinaryOperator, term: str | None) -> list[Any]:
    e = binary(operator, column(TERM, "a"), column(TERM, "b"))
    return values(e, a=(TERM, [term] * len(TERMS)), b=(TERM, TERMS))


def test_terms_are_equal_by_value_or_as_terms() -> None:
    no, err = False, None
    assert of_terms("=", TERMS[0]) == [True, True, no, err, err, err, no, err, err, err, err, err, no, no, None]
    assert of_terms("=", '"a"') == [err, err, err, True, no, err, no, err, err, err, err, err, err, no, None]
    assert of_terms("=", "<http://a>") == [no] * 6 + [True] + [no] * 7 + [None]
    assert of_terms("!=", TERMS[7]) == [err] * 6 + [True, no, no, err, err, err, err, True, None]
    assert of_terms("=", TERMS[9])[9:12] == [True, None, True]
    assert of_terms("=", TERMS[12])[12] is False
    assert of_terms("=", None) == [None] * len(TERMS)


def test_terms_are_ordered_within_their_kind() -> None:
    assert of_terms("<", TERMS[0]) == [False, False, True, *[None] * 9, False, None, None]
    assert of_terms("<=", '"a"') == [None, None, None, True, True, *[None] * 10]


@pytest.mark.parametrize(
    ("literal", "equal", "less"),
    [
        (
            constant(5, INTEGER),
            {0: True, 1: True, 2: False, 6: False, 12: False, 13: False},
            dict.fromkeys((0, 1, 2, 12), False),
        ),
        (constant("a", STRING), {3: True, 4: False, 6: False, 13: False}, {3: False, 4: False}),
        (constant("http://a", IRI), {**dict.fromkeys((*range(6), *range(7, 14)), False), 6: True}, {}),
        (constant(value=True, of=BOOLEAN), {7: True, 8: True, 6: False, 13: False}, {7: False, 8: False}),
        (
            constant(datetime(2012, 5, 7, tzinfo=UTC), DATETIME),
            {9: True, 11: True, 6: False, 13: False},
            {9: False, 11: False},
        ),
    ],
)
def test_terms_compare_with_values(literal: Constant, equal: dict[int, bool], less: dict[int, bool]) -> None:
    """What is not named is an error; every comparison may be turned round."""
    for operator, mirrored, expected in (("=", "=", equal), ("<", ">", less)):
        full = [expected.get(i) if term is not None else None for i, term in enumerate(TERMS)]
        assert values(binary(operator, column(TERM), literal), a=(TERM, TERMS)) == full  # type: ignore[arg-type]  # a str
        assert values(binary(mirrored, literal, column(TERM)), a=(TERM, TERMS)) == full  # type: ignore[arg-type]  # a str


def test_arithmetic_of_terms() -> None:
    e = binary("+", column(TERM), constant(1, INTEGER), DOUBLE)
    assert values(e, a=(TERM, [typed("5", "integer"), '"5"', "<http://5>", None])) == [6.0, None, None, None]
