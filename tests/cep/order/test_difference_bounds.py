"""The tightest bounds that order and windows imply together (Dechter, Meiri, Pearl 1991)."""

from __future__ import annotations

from kaicep.cep.order.difference_bounds import UNBOUNDED, bounds_with_last


def test_windows_that_share_a_variable_add_up() -> None:
    bounds = bounds_with_last("abc", None, {}, [(("a", "b"), 3), (("b", "c"), 2)], {})
    assert (bounds["a", "b"], bounds["b", "c"], bounds["a", "c"], bounds["c", "a"]) == (3, 2, 5, 5)


def test_order_and_a_window_bound_each_other() -> None:
    """A before b before c within 9: b is at least a microsecond from both."""
    bounds = bounds_with_last("abc", "c", {("a", "b"): 1, ("b", "c"): 1}, [(("a", "c"), 9)], {})
    assert bounds["b", "a"] == 8
    assert bounds["a", "b"] == -1
    assert bounds["b", "c"] == -1


def test_the_last_event_ends_sliding_windows() -> None:
    bounds = bounds_with_last("ab", "b", {}, [], {"a": 5, "b": 2})
    assert (bounds["a", "b"], bounds["b", "a"]) == (0, 4), "less than 5 before the last event"


def test_what_nothing_ties_is_unbounded() -> None:
    bounds = bounds_with_last("ab", None, {}, [], {"a": 5})
    assert bounds == {("a", "a"): 0, ("b", "b"): 0, ("a", "b"): UNBOUNDED, ("b", "a"): UNBOUNDED}
