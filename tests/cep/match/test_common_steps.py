"""Steps that operators of equal queries take once for all of them."""

from __future__ import annotations

import pytest
from kaicep.cep.match import BEGINNING, CommonSteps
from kaicep.errors import CeilingError


def test_a_step_from_one_position_is_taken_once() -> None:
    steps, made = CommonSteps(), iter("ab")
    first, second = (steps.take(BEGINNING, 5, at_once=False, search=lambda: next(made)) for _ in range(2))
    assert (first, second) == ("a", "a")
    assert steps.take("elsewhere", 5, at_once=False, search=lambda: next(made)) == "b"


def test_many_steps_lead_where_one_does() -> None:
    steps = CommonSteps()
    part = steps.behind(BEGINNING, 3)
    assert steps.behind(part, 5) == steps.behind(BEGINNING, 5)
    assert steps.behind("elsewhere", 5) != steps.behind(BEGINNING, 5)
    assert CommonSteps().behind(BEGINNING, 5) != steps.behind(BEGINNING, 5)


def test_that_there_is_too_much_to_be_held_at_once_is_known_to_all() -> None:
    steps, tried = CommonSteps(), []

    def search() -> str:
        tried.append(1)
        raise CeilingError("too many", hint="none")

    for _ in range(2):
        with pytest.raises(CeilingError):
            steps.take(BEGINNING, 5, at_once=True, search=search)
    assert len(tried) == 1
    for _ in range(2):
        with pytest.raises(CeilingError):
            steps.take(BEGINNING, 5, at_once=False, search=search)
    assert len(tried) == 3


def test_who_needs_nothing_goes_on_where_others_are() -> None:
    assert CommonSteps(("there", 7)).offer_of(lambda: 8) == ("there", 7)
    steps = CommonSteps()
    assert steps.offer_of(lambda: 8) == steps.offer_of(lambda: 9)


def test_what_is_made_of_candidates_is_made_once() -> None:
    steps, made = CommonSteps(), iter("ab")
    assert [steps.once("released", lambda: next(made)) for _ in range(2)] == ["a", "a"]
