"""Expressions as SPARQL, or the reason why not."""

from __future__ import annotations

import pytest
from kaicep.expressions import RefusedError, sparql_text
from kaicep.language.nodes import Binding, Column, Constant, Expression, Membership, Unary
from support.aggregates import aggregate
from support.columns import BOOLEAN, DOUBLE, HERE, INTEGER, STRING, binary, call, column, constant


def value(node: Column | Binding | Constant) -> str:
    return repr(node.value) if isinstance(node, Constant) else f"?{node.name}"


X, FIVE = column(DOUBLE, "x"), constant(5, INTEGER)
BELOW = binary("<", X, FIVE)


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (binary("AND", BELOW, call("BOUND", BOOLEAN, X)), "((?x < 5) && BOUND(?x))"),
        (Unary("NOT", binary("=", column(STRING, "s"), constant("a", STRING)), BOOLEAN, HERE), "(! (?s = 'a'))"),
        (Unary("-", X, DOUBLE, HERE), "(- ?x)"),
        (Membership(column(INTEGER, "n"), (FIVE, constant(7, INTEGER)), BOOLEAN, HERE), "(?n IN (5, 7))"),
        (call("ABS", DOUBLE, binary("-", X, FIVE, DOUBLE)), "ABS((?x - 5))"),
    ],
)
def test_what_means_the_same(e: Expression, text: str) -> None:
    assert sparql_text(e, value) == text


@pytest.mark.parametrize(
    ("e", "reason"),
    [
        (Unary("NOT", BELOW, BOOLEAN, HERE), "NOT of a comparison with NaN differs"),
        (call("ROUND", DOUBLE, X), "the function ROUND differs between engines"),
        (binary(">", aggregate("AVG", DOUBLE), FIVE), "AVG is taken over events that SPARQL has no order for"),
    ],
)
def test_what_does_not_is_refused_with_the_reason(e: Expression, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        sparql_text(e, value)
