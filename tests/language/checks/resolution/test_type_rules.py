"""Which types may stand where, and what operators make of them."""

from __future__ import annotations

from itertools import product

import pytest
from kaicep.expressions import SIGNATURES
from kaicep.language.checks.resolution.type_rules import accepts, agreeing, arithmetic, common, spoken
from kaicep.language.nodes import Signature, ValueType

B, N, D, S = ValueType.BOOLEAN, ValueType.INTEGER, ValueType.DOUBLE, ValueType.STRING
T, P, IRI, TERM = ValueType.DATETIME, ValueType.DURATION, ValueType.IRI, ValueType.TERM


def test_of_a_term_only_run_time_can_say() -> None:
    assert accepts("a number", TERM)
    assert accepts("a dateTime", TERM)
    assert [kind for kind in ValueType if accepts("a number", kind)] == [N, D, TERM]
    assert not accepts("an ordered value", IRI)


@pytest.mark.parametrize(
    ("left", "right", "type_"), [(N, N, N), (N, D, D), (TERM, S, S), (S, TERM, S), (S, N, None), (IRI, S, None)]
)
def test_what_both_can_be_brought_to(left: ValueType, right: ValueType, type_: ValueType | None) -> None:
    assert common(left, right) is type_


@pytest.mark.parametrize(
    ("left", "operator", "right", "type_"),
    [
        (N, "+", N, N),
        (N, "/", N, D),
        (N, "%", D, D),
        (T, "-", T, P),
        (T, "-", P, T),
        (P, "+", T, T),
        (T, "+", T, None),
        (P, "/", P, D),
        (P, "*", N, P),
        (N, "*", P, P),
        (N, "/", P, None),
        (TERM, "-", N, D),
        (S, "+", S, None),
    ],
)
def test_arithmetic(left: ValueType, operator: str, right: ValueType, type_: ValueType | None) -> None:
    assert arithmetic(left, operator, right) is type_


def test_numbers_never_leave_the_numbers() -> None:
    for left, operator, right in product((N, D), "+-*/%", (N, D)):
        found = arithmetic(left, operator, right)
        assert found is not None
        assert found.numeric


def test_arguments_of_one_type_are_brought_together() -> None:
    """All of COALESCE; of IF, what it chooses from."""
    coalesce, choice = SIGNATURES["COALESCE"], SIGNATURES["IF"]
    assert isinstance(coalesce, Signature)
    assert isinstance(choice, Signature)
    assert agreeing(coalesce, 3) == [0, 1, 2]
    assert agreeing(choice, 3) == [1, 2]


def test_types_in_sentences() -> None:
    assert [spoken(kind) for kind in (B, N, IRI, TERM)] == ["a boolean", "an integer", "an IRI", "an RDF term"]
