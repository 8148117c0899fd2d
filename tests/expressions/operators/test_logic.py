"""AND and OR over columns and single values: three-valued."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from kaicep.expressions import NOTHING, OPERATORS
from kaicep.language.nodes.expression import BinaryOperator, Unary
from kaicep.language.nodes.types import ValueType
from support.columns import (
    BOOLEAN,
    DATETIME,
    DOUBLE,
    HERE,
    INTEGER,
    MOMENT,
    NAN,
    STRING,
    TERM,
    binary,
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


@pytest.mark.parametrize("operator", ["AND", "OR"])
def test_single_values_follow_the_columns(operator: BinaryOperator) -> None:
    kernel = OPERATORS[operator].scalar(binary(operator, column(BOOLEAN), column(BOOLEAN)))
    assert kernel is not None
    assert [kernel(a, b) for a, b in TRUTHS] == of_pairs(operator, BOOLEAN, BOOLEAN, TRUTHS)
    assert kernel(NOTHING, None) is None
    assert kernel(NOTHING, operator == "AND") is NOTHING
