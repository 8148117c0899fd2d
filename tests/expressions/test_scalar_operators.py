"""Logic on single values, with what is unbound and what stands before a run."""

from __future__ import annotations

import math

from kaicep.expressions import NOTHING
from kaicep.expressions.scalar_operators import (
    as_double,
    choose,
    coalesce,
    divide,
    effective,
    excused,
    is_bound,
    narrow,
    negation,
    strict,
    truth,
)


def test_effective_boolean_values() -> None:
    assert [truth(x) for x in (True, 1, "a", 0, "", math.nan, None, NOTHING)] == [True] * 3 + [False] * 5
    assert effective(None) is None
    assert effective(NOTHING) is NOTHING


def test_a_condition_is_excused_for_what_stands_before_the_run_alone() -> None:
    assert excused(NOTHING)
    assert not excused(None)
    assert strict(max, 1, NOTHING) is NOTHING
    assert strict(max, None, NOTHING) is None
    assert strict(max, 1, 2) == 2


def test_negation_keeps_what_is_unbound() -> None:
    assert [negation(x) for x in (True, False, None)] == [False, True, None]


def test_choices_look_no_further_than_they_need() -> None:
    assert coalesce(lambda: None, lambda: 7, lambda: 1 // 0) == 7
    assert coalesce(lambda: None, lambda: NOTHING) is None
    assert choose(True, lambda: 1, lambda: 1 // 0) == 1
    assert choose(None, lambda: 1, lambda: 2) is None
    assert [is_bound(x) for x in (0, None, NOTHING)] == [True, False, False]


def test_numbers() -> None:
    assert narrow(2**63 - 1) == 2**63 - 1
    assert narrow(2**63) is None
    assert repr(as_double(1)) == "1.0"
    assert divide(1.0, -0.0) == -math.inf
    assert divide(1, 0) is None
    assert math.isnan(divide(0.0, 0) or 0.0)
