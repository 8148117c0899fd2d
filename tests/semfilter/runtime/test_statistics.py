"""What a subquery has cost, added up and in words."""

from __future__ import annotations

import numpy as np
import pytest
from kaicep.semfilter.runtime import SubqueryStatistics
from kaicep.semfilter.runtime.statistics import KeyCount


def test_costs_are_added() -> None:
    total = SubqueryStatistics(1, 2, 1, 1, 0.5, 1.0)
    total.add(SubqueryStatistics(10, 20, 15, 5, 0.25, 2.0))
    assert total == SubqueryStatistics(11, 22, 16, 6, 0.75, 3.0)


def test_the_hit_rate_is_hits_per_key() -> None:
    assert SubqueryStatistics(keys=4, hits=3).hit_rate == 0.75
    assert SubqueryStatistics().hit_rate is None


def test_in_words() -> None:
    """That a verdict was ready says nothing of what it is, so the two are told apart."""
    assert str(SubqueryStatistics(1200, 1000, 999, 1, 0.0125, 0.02, held=7, distinct=9, holding=2)) == (
        "holds for 7 of 1,200 events (2 of 9 keys); 1,000 verdicts, 99.9% ready, 1 evaluated in 12.5 ms, 20.0 ms in all"
    )
    assert str(SubqueryStatistics(3)).startswith("holds for 0 of 3 events; no verdict asked for, ")


def test_distinct_keys_are_counted_once_and_not_added() -> None:
    counts, statistics = KeyCount(), SubqueryStatistics(events=5)
    assert counts.counted(statistics) == statistics
    counts.note(["a", "b"], np.array([True, False]))
    counts.note(["b", "c"], np.array([True, False]))
    counted = counts.counted(statistics)
    assert (counted.distinct, counted.holding) == (3, 2)
    statistics.add(counted)
    assert statistics == SubqueryStatistics(events=10)


def test_of_too_many_keys_none_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaicep.semfilter.runtime.statistics._MOST_KEYS", 2)
    counts = KeyCount()
    counts.note(["a", "b", "c"], np.array([True, True, True]))
    counts.note(["a"], np.array([True]))
    assert counts.counted(SubqueryStatistics()) == SubqueryStatistics()
