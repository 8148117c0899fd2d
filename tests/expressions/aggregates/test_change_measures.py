"""OLD and NEW: the values at the first and the last event, unbound ones too."""

from __future__ import annotations

from kaicep.expressions import SIGNATURES
from kaicep.expressions.aggregates import CHANGES
from kaicep.language.nodes import ValueType
from support.aggregates import aggregate, over, over_windows


def test_of_one_event_there_is_nothing_older() -> None:
    assert over(aggregate("OLD", ValueType.INTEGER), 5) is None
    assert over(aggregate("NEW", ValueType.INTEGER), 5) == 5


def test_unbound_values_are_not_skipped() -> None:
    assert over(aggregate("OLD", ValueType.INTEGER), None, 2, 3) is None
    assert over(aggregate("OLD", ValueType.INTEGER), 1, 2, None) == 1
    assert over(aggregate("NEW", ValueType.INTEGER), 1, 2, None) is None


def test_of_windows() -> None:
    windows = [(0, 1), (0, 2), (1, 3), (2, 4)]
    assert over_windows(aggregate("OLD", ValueType.INTEGER), [1, 2, None, 4], windows) == [None, 1, 2, None]
    assert over_windows(aggregate("NEW", ValueType.INTEGER), [1, 2, None, 4], windows) == [1, 2, None, 4]


def test_the_checker_knows_the_measures() -> None:
    assert {change.name for change in CHANGES} <= set(SIGNATURES)
