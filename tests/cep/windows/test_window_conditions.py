"""Conditions over many windows at once."""

from __future__ import annotations

import numpy as np
import polars as pl
from kaicep.cep.windows.window_conditions import WindowConditions
from kaicep.language.nodes import CheckWindow
from support.vocabulary import compiled

FRAME = pl.DataFrame({"_id": ["a", "b", "c", "d"], "flowrate": [1.0, 2.0, None, 4.0]})


def conditions(*texts: str, order: list[int] | None = None) -> WindowConditions:
    text = " AND ".join(texts)
    (window,) = compiled(f"SELECT COUNT(?e) WINDOW (?e, CHECK ({text}), 1h)").windows
    assert isinstance(window, CheckWindow)
    return WindowConditions([window.condition], FRAME, None if order is None else np.array(order))


def test_aggregates_are_of_windows_and_plain_items_of_their_new_events() -> None:
    start, end = np.array([0, 0, 1]), np.array([1, 2, 4])
    held = conditions("AVG(?e.flowrate) < ?e.flowrate").hold(start, end, end - 1)
    assert held.tolist() == [False, True, True]


def test_what_is_unbound_holds_nowhere() -> None:
    held = conditions("?e.flowrate > 0").hold(np.array([0, 2]), np.array([1, 3]), np.array([0, 2]))
    assert held.tolist() == [True, False]


def test_windows_are_ranges_of_an_order_or_of_rows_laid_out() -> None:
    asked = conditions("SUM(?e.flowrate) >= 5", order=[3, 0, 1, 2])
    assert asked.hold(np.array([0, 1]), np.array([2, 3]), np.array([0, 1])).tolist() == [True, False]
    laid_out = np.array([0, 1, 0, 1, 2])  # places in the order: rows d, a and d, a, b
    held = asked.hold(np.array([0, 3]), np.array([2, 5]), np.array([0, 1]), laid_out)
    assert held.tolist() == [True, False]


def test_a_condition_of_nothing() -> None:
    assert conditions("1 < 2").hold(np.array([0, 1]), np.array([1, 2]), np.array([0, 1])).tolist() == [True, True]
