"""Integers that leave 64 bits go on as doubles, by expressions that columns can compute (docs/semantics.md 2.5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kaicep import OperatorError
from kaicep.expressions import companion, group_value, lists_wide, settled, sparql_text
from kaicep.language.nodes import Aggregate, Expression
from kaicep.language.nodes.expression import BinaryOperator
from support.columns import BOOLEAN, DOUBLE, HERE, INTEGER, STRING, binary, call, column, constant, values

MOST, LEAST = 2**63 - 1, -(2**63)
A, B = column(INTEGER, "a"), column(INTEGER, "b")
SUM = binary("+", A, B, INTEGER)


def of(e: Expression, *pairs: tuple[int | None, int | None]) -> list[object]:
    a, b = zip(*pairs, strict=True)
    return list(values(e, a=(INTEGER, list(a)), b=(INTEGER, list(b))))


def nested(times: int, e: Expression, within: Callable[[Expression], Expression]) -> Expression:
    """An expression within another one, and so on."""
    for _ in range(times):
        e = within(e)
    return e


def test_an_item_has_its_double_beside_it() -> None:
    pairs = ((1, 2), (MOST, 1), (LEAST, -1), (None, 1))
    assert of(settled(SUM), *pairs) == [3, None, None, None]
    assert of(companion(SUM), *pairs) == [None, 2.0**63, -(2.0**63), None]


@pytest.mark.parametrize(
    ("operator", "pair", "double"),
    [("+", (MOST, MOST), 2.0**64), ("-", (LEAST, MOST), -(2.0**64)), ("*", (2**40, 2**40), 2.0**80)],
)
def test_operations_are_done_on_doubles(operator: BinaryOperator, pair: tuple[int, int], double: float) -> None:
    assert of(companion(binary(operator, A, B, INTEGER)), pair, (2, 2)) == [double, None]


def test_a_long_sum_is_rewritten_as_what_it_is() -> None:
    """Each of its operands asked twice for all before it, it would take days."""
    total = nested(60, B, lambda so_far: binary("+", so_far, A, INTEGER))
    assert of(settled(total), (1, 2), (2**57, 2**62)) == [62, None]
    assert of(companion(total), (1, 2), (2**57, 2**62)) == [None, 60.0 * 2**57 + 2.0**62]
    assert of(group_value(total), (1, 2)) == ["62"]


def test_what_is_bound_first_is_asked_once() -> None:
    zero = constant(0, INTEGER)
    found = nested(30, SUM, lambda inner: call("COALESCE", INTEGER, inner, zero))
    assert of(settled(found), (1, 2), (MOST, 1), (None, 1)) == [3, None, 0]
    assert of(companion(found), (1, 2), (MOST, 1), (None, 1)) == [None, 2.0**63, None]


def test_what_grows_without_bounds_is_refused() -> None:
    one = constant(1, INTEGER)
    asked = nested(40, SUM, lambda inner: call("IF", INTEGER, binary(">", inner, A, BOOLEAN), SUM, one))
    for rewritten in (settled, companion, group_value):
        with pytest.raises(
            OperatorError, match="an expression of integers is too long: where they leave 64 bits"
        ) as told:
            rewritten(asked)
        assert "declare the attributes as xsd:double" in str(told.value)
    assert of(settled(SUM), (1, 2)) == [3]


def test_conditions_are_asked_of_doubles_where_integers_have_left() -> None:
    pairs = ((1, 2), (MOST, 1), (None, 1))
    assert of(binary(">", SUM, constant(5, INTEGER)), *pairs) == [False, True, None]
    assert of(call("BOUND", BOOLEAN, SUM), *pairs) == [True, True, False]
    assert of(call("COALESCE", INTEGER, SUM, constant(0, INTEGER)), *pairs) == [3, None, 0]
    assert of(companion(call("COALESCE", INTEGER, SUM, constant(0, INTEGER))), *pairs) == [None, 2.0**63, None]


def test_an_operation_that_is_an_error_on_integers_stays_one() -> None:
    zero = binary("/", SUM, constant(0, INTEGER), DOUBLE)
    assert of(zero, (1, 2), (MOST, 1)) == [None, float("inf")]
    assert of(companion(binary("%", SUM, B, INTEGER)), (1, 0), (MOST, 7)) == [None, 2.0**63 % 7.0]


def test_groups_are_told_apart_by_text() -> None:
    assert of(group_value(SUM), (1, 2), (MOST, 1)) == ["3", "9.223372036854776E18"]
    assert group_value(A) is A


def test_what_is_settled_stays_as_it_is() -> None:
    for e in (SUM, binary(">", SUM, A), call("STR", STRING, SUM), companion(SUM)):
        assert of(settled(settled(e)), (1, 2), (MOST, 1)) == of(settled(e), (1, 2), (MOST, 1))


def test_sparql_goes_on_with_doubles_where_integers_are_an_error() -> None:
    text = sparql_text(binary(">", SUM, A), lambda node: f"?{getattr(node, 'name', '')}")
    assert text.startswith("COALESCE(((?a - (- ?b)) > ?a), (COALESCE(<http://www.w3.org/2001/XMLSchema#double>(")


def test_lists() -> None:
    assert lists_wide(Aggregate("LIST", "e", SUM, INTEGER, HERE))
    assert not lists_wide(Aggregate("LIST", "e", A, INTEGER, HERE))
