"""Rates over a sliding window."""

from __future__ import annotations

from kaicep.pipeline.monitoring import RecentRates
from support.clock import Clock


def test_a_rate_is_the_growth_over_the_window() -> None:
    now = Clock()
    rates = RecentRates(60.0, now)
    assert rates.note({"air": 100.0}) == {}
    now.seconds += 10
    assert rates.note({"air": 150.0}) == {"air": 5.0}
    now.seconds += 50
    assert rates.note({"air": 150.0}) == {"air": 50 / 60}
    now.seconds += 10
    assert rates.note({"air": 150.0}) == {"air": 0.0}, "the burst has left the window"


def test_what_is_new_began_at_nothing() -> None:
    now = Clock()
    rates = RecentRates(60.0, now)
    rates.note({})
    now.seconds += 4
    assert rates.note({"water": 8.0}) == {"water": 2.0}


def test_what_is_smaller_began_anew() -> None:
    now = Clock()
    rates = RecentRates(60.0, now)
    rates.note({"air": 100.0})
    now.seconds += 4
    assert rates.note({"air": 8.0}) == {"air": 2.0}


def test_few_samples_are_kept_however_often_one_asks() -> None:
    now = Clock()
    rates = RecentRates(60.0, now)
    for _ in range(10_000):
        now.seconds += 1
        rates.note({"air": now.seconds})
    assert len(rates._samples) <= 62
