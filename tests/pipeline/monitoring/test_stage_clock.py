"""Seconds by stage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kaicep.pipeline.monitoring import StageClock
from support.clock import Clock


def test_a_stage_within_another_is_counted_as_itself_alone() -> None:
    now = Clock()
    clock = StageClock(now)
    with clock.stage("sinks"):
        now.seconds += 1.0
        with clock.stage("queries"):
            now.seconds += 5.0
            assert clock.current == "queries"
        now.seconds += 2.0
    now.seconds += 100.0
    assert clock.current is None
    with clock.stage("queries"):
        now.seconds += 0.5
    assert clock.seconds == {"sinks": 3.0, "queries": 5.5}


def test_what_it_takes_to_come_by_values_is_counted() -> None:
    now = Clock()
    clock = StageClock(now)

    def slow() -> Iterator[int]:
        for value in range(3):
            now.seconds += 2.0
            yield value

    found = []
    with clock.stage("sinks"):
        for value in clock.over("queries", slow()):
            found.append(value)
            now.seconds += 1.0
    assert found == [0, 1, 2]
    assert clock.seconds == {"sinks": 3.0, "queries": 6.0}


def test_a_stage_that_fails_has_taken_its_time() -> None:
    now = Clock()
    clock = StageClock(now)
    with pytest.raises(ValueError, match="broken"), clock.stage("archive"):  # noqa: PT012 - time passes, then it fails
        now.seconds += 4.0
        message = "broken"
        raise ValueError(message)
    with clock.stage("sinks"):
        now.seconds += 1.0
    assert clock.seconds == {"archive": 4.0, "sinks": 1.0}
