"""What is said of calls that were not handed on, and what is made of those that go together."""

from __future__ import annotations

import pytest
from kaicep.pipeline.actions import ActionCall, DeliveryError
from kaicep.pipeline.actions.action import made_of
from support.receivers import call


def test_nothing_is_assumed() -> None:
    error = DeliveryError("no room")
    assert (str(error), error.reason) == ("no room", "no room")
    assert (error.delivered, error.refused, error.hopeless, error.after) == (0, False, False, None)


@pytest.mark.parametrize(("wrong", "made"), [(1, []), (3, ["r-1", "r-2"]), (9, ["r-1", "r-2", "r-3", "r-4"])])
def test_what_is_made_of_calls_ends_before_the_first_of_which_nothing_can_be(wrong: int, made: list[str]) -> None:
    seen = []

    def make(given: ActionCall) -> str:
        seen.append(given.id)
        if given.id == f"r-{wrong}":
            raise DeliveryError("no topic has this name", hopeless=True)
        return given.id

    found, fault = made_of([call(number) for number in range(1, 5)], make)
    assert found == made
    assert seen == [f"r-{number}" for number in range(1, min(wrong, 4) + 1)]
    if wrong > 4:
        assert fault is None
    else:
        assert fault is not None
        assert (fault.delivered, fault.hopeless) == (len(made), True)
