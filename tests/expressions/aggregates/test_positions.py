"""FIRST, LAST and LIST: bound values by their places."""

from __future__ import annotations

from kaicep.language.nodes import ValueType
from support.aggregates import aggregate, over, over_windows

VALUES = [None, "a", "b", None, "c"]


def test_unbound_values_are_skipped() -> None:
    assert over(aggregate("FIRST", ValueType.STRING), *VALUES) == "a"
    assert over(aggregate("LAST", ValueType.STRING), *VALUES) == "c"
    assert over(aggregate("FIRST", ValueType.STRING), None) is None


def test_offsets_count_inwards_and_end_with_the_values() -> None:
    assert over(aggregate("FIRST", ValueType.STRING, 1), *VALUES) == "b"
    assert over(aggregate("LAST", ValueType.STRING, 2), *VALUES) == "a"
    assert over(aggregate("LAST", ValueType.STRING, 3), *VALUES) is None


def test_lists_hold_what_is_bound_and_are_unbound_when_nothing_is() -> None:
    e = aggregate("LIST", ValueType.STRING)
    assert over_windows(e, VALUES, [(0, 1), (0, 3), (1, 5)]) == [None, ["a", "b"], ["a", "b", "c"]]
