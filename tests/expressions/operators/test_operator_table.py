"""The table of operators: every one of the language has its entry."""

from __future__ import annotations

from typing import get_args

from kaicep.expressions import OPERATORS
from kaicep.language.nodes import BinaryOperator


def test_every_operator_of_the_language_has_its_entry() -> None:
    assert sorted(OPERATORS) == sorted(get_args(BinaryOperator))
    assert all(symbol == entry.symbol for symbol, entry in OPERATORS.items())
