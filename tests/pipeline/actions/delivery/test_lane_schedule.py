"""Whose turn it is, by a clock that goes as a test says."""

from __future__ import annotations

from typing import Any

from kaicep.config import ActionSettings
from kaicep.pipeline.actions.delivery.lane_schedule import LaneSchedule
from kaicep.pipeline.actions.delivery.outbox import Lane

A, B = Lane("ops", "a"), Lane("ops", "b")


def schedule(*lanes: Lane, batch: int = 1, **settings: Any) -> LaneSchedule:
    found = LaneSchedule(ActionSettings.model_validate({"python": "m:f", **settings}), batch)
    for lane in lanes:
        found.wake(lane)
    return found


def test_lanes_take_turns() -> None:
    found = schedule(A, B)
    assert found.claim(0) == (A, 1)
    found.succeed(A)
    assert found.claim(0) == (B, 1)
    assert found.claim(0) == (A, 1)
    assert found.claim(0) is None
    found.rest(A)
    found.rest(B)
    assert not found.busy


def test_calls_that_come_meanwhile_are_the_next_turn() -> None:
    found = schedule(A)
    found.claim(0)
    found.wake(A)
    found.rest(A)
    assert found.claim(0) == (A, 1)


def test_pauses_double_up_to_a_limit_and_then_it_is_given_up() -> None:
    found, now, pauses = schedule(A, tries=6, backoff="1s", backoff_limit="5s"), 0.0, []
    while True:
        assert found.claim(now) == (A, 1)
        if found.fail(A, now, "no"):
            break
        pause = found.pause(now)
        assert pause is not None
        assert found.claim(now + pause - 0.001) is None
        pauses.append(pause)
        now += pause
    assert pauses == [1, 2, 4, 5, 5]
    assert found.tries(A) == 6


def test_one_lane_that_fails_holds_up_no_other() -> None:
    found = schedule(A, B)
    found.claim(0)
    found.fail(A, 0, "no")
    assert found.claim(0) == (B, 1)
    assert found.troubles() == {A: "no"}


def test_who_asks_to_be_left_alone_is_and_it_counts_as_no_failure() -> None:
    found = schedule(A, B, tries=1)
    found.claim(0)
    assert not found.fail(A, 0, "busy", 7)
    assert found.claim(6.9) is None
    assert found.pause(1) == 6
    assert found.tries(A) == 0
    assert {found.claim(7), found.claim(7)} == {(A, 1), (B, 1)}


def test_refused_calls_are_narrowed_down() -> None:
    found = schedule(A, batch=500)
    sizes = []
    for _ in range(5):
        claimed = found.claim(0)
        assert claimed is not None
        sizes.append(claimed[1])
        found.narrow(A, claimed[1])
    found.claim(0)
    found.succeed(A)
    assert sizes == [500, 250, 125, 62, 31]
    assert found.claim(0) == (A, 30)
