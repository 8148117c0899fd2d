"""What a subquery has cost, added up and in words."""

from __future__ import annotations

from kaicep.semfilter.runtime import SubqueryStatistics


def test_costs_are_added() -> None:
    total = SubqueryStatistics(1, 2, 1, 1, 0.5, 1.0)
    total.add(SubqueryStatistics(10, 20, 15, 5, 0.25, 2.0))
    assert total == SubqueryStatistics(11, 22, 16, 6, 0.75, 3.0)


def test_the_hit_rate_is_hits_per_key() -> None:
    assert SubqueryStatistics(keys=4, hits=3).hit_rate == 0.75
    assert SubqueryStatistics().hit_rate is None


def test_in_words() -> None:
    assert str(SubqueryStatistics(1200, 1000, 999, 1, 0.0125, 0.02)) == (
        "1,200 events, 99.9% of 1,000 keys known, 1 evaluated in 12.5 ms, 20.0 ms in all"
    )
    assert str(SubqueryStatistics(3)).startswith("3 events, none asked, ")
