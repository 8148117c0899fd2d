"""Where windows by condition begin: by comparisons that say it, or tried; alone and one over all groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from kaicep.cep.windows.checked_windows import checked
from kaicep.cep.windows.window_frames import WindowRows, Windows
from kaicep.errors import CeilingError, OperatorError
from kaicep.language.nodes import CheckWindow
from support.vocabulary import compiled


def clause(text: str) -> CheckWindow:
    (window,) = compiled(f"SELECT COUNT(?e) WINDOW (?e, {text})").windows
    assert isinstance(window, CheckWindow)
    return window


def rows(values: Sequence[float | None], groups: str = "", first_new: int = 0) -> WindowRows:
    """Rows a second apart."""
    times = np.arange(len(values)) * 1_000_000
    group = np.array([ord(letter) for letter in groups]) if groups else None
    columns = {"_time": pl.Series(times).cast(pl.Datetime("us", "UTC")), "_id": [f"e{i}" for i in range(len(values))]}
    return WindowRows(times, group, None, first_new, frame=pl.DataFrame({**columns, "flowrate": values}))


def held(windows: Windows) -> dict[int, list[int]]:
    """What the windows hold, by their last rows."""
    order = np.arange(10**4) if windows.order is None else windows.order
    ranges = zip(windows.last.tolist(), windows.start, windows.end, strict=True)
    return {last: order[start:end].tolist() for last, start, end in ranges}


@pytest.mark.parametrize(
    ("text", "windows"),
    [
        ("CHECK (COUNT(?e) <= 2)", {0: [0], 1: [0, 1], 2: [1, 2], 3: [2, 3]}),
        ("CHECK (?e._time - FIRST(?e._time) < 2s)", {0: [0], 1: [0, 1], 2: [1, 2], 3: [2, 3]}),
        ("CHECK (?e._time - FIRST(?e._time) <= 2s)", {0: [0], 1: [0, 1], 2: [0, 1, 2], 3: [1, 2, 3]}),
        ("CHECK (FIRST(?e.flowrate) = ?e.flowrate), 1h", {0: [0], 1: [0, 1], 2: [2], 3: [3]}),
        ("CHECK (SUM(?e.flowrate) <= 4), 1h", {0: [0], 1: [0, 1], 2: [1, 2], 3: [2, 3]}),
        ("CHECK (SUM(?e.flowrate) < 3), 1h", {0: [0], 1: [0, 1], 3: [3]}),
        ("CHECK (AVG(?e.flowrate) < 2), 1h", {0: [0], 1: [0, 1], 2: [0, 1, 2], 3: [0, 1, 2, 3]}),
        ("CHECK (MAX(?e.flowrate) < 3 OR COUNT(?e) <= 1), 1h", {0: [0], 1: [0, 1], 2: [2], 3: [3]}),
        ("CHECK (COUNT(?e) >= 0), 2 events", {0: [0], 1: [0, 1], 2: [1, 2], 3: [2, 3]}),
    ],
)
def test_the_oldest_leave_until_the_condition_holds(text: str, windows: dict[int, list[int]]) -> None:
    assert held(checked(rows([1.0, 1.0, 3.0, 1.0]), clause(text))) == windows


def test_what_has_left_does_not_come_back() -> None:
    """Of the whole stream the first one is like the last one again."""
    text = "CHECK (FIRST(?e.flowrate) = ?e.flowrate), 1h"
    assert held(checked(rows([1.0, 2.0, 1.0]), clause(text)))[2] == [2]
    assert held(checked(rows([1.0, 9.0, 1.0, 1.0]), clause("CHECK (AVG(?e.flowrate) < 3), 1h"))) == {
        0: [0], 2: [2], 3: [2, 3],
    }  # fmt: skip


def test_a_value_that_is_missing_is_like_none() -> None:
    text = "CHECK (FIRST(?e.flowrate) = ?e.flowrate), 1h"
    assert held(checked(rows([1.0, None, 1.0]), clause(text))) == {0: [0], 2: [2]}


def test_groups_have_windows_of_their_own_or_share_one() -> None:
    values, text = [1.0, 1.0, 1.0, 1.0], "CHECK (COUNT(?e) <= 2)"
    assert held(checked(rows(values, "abab"), clause(text))) == {0: [0], 1: [1], 2: [0, 2], 3: [1, 3]}
    assert held(checked(rows(values, "abab"), clause(f"{text}, SHARED"))) == {0: [0], 1: [1], 2: [2], 3: [3]}
    assert held(checked(rows(values, "abba"), clause(f"{text}, SHARED"))) == {0: [0], 1: [1], 2: [1, 2], 3: [3]}


def test_only_what_the_latest_windows_hold_is_kept() -> None:
    windows = checked(rows([1.0, 1.0, 3.0, 1.0], "aaba", first_new=1), clause("CHECK (SUM(?e.flowrate) <= 2), 1h"))
    assert held(windows) == {1: [0, 1], 3: [1, 3]}
    assert windows.keep.tolist() == [False, True, False, True]


def test_many_windows_that_are_tried_are_those_of_one_after_the_other() -> None:
    rng = np.random.default_rng(7)
    values = rng.choice([0.0, 1.0, 5.0, 9.0], 400).tolist()
    groups = "".join(rng.choice(list("abc"), 400))
    found = held(checked(rows(values, groups), clause("CHECK (AVG(?e.flowrate) < 4 OR COUNT(?e) <= 2), 90 events")))
    windows: dict[str, list[int]] = {"a": [], "b": [], "c": []}
    for row, group in enumerate(groups):
        window = [*windows[group], row][-90:]
        while len(window) > 2 and sum(values[i] for i in window) / len(window) >= 4:
            window.pop(0)
        windows[group] = window
        assert found[row] == window


def test_looking_for_windows_has_an_end() -> None:
    def stop() -> None:
        raise CeilingError("it takes too long", hint="bound it")

    with pytest.raises(CeilingError):
        checked(rows([1.0, 2.0]), clause("CHECK (AVG(?e.flowrate) < 4), 1h"), stop)


def test_conditions_are_asked_of_candidates() -> None:
    with pytest.raises(OperatorError, match="without candidates"):
        checked(WindowRows(np.array([0]), None, None, 0), clause("CHECK (COUNT(?e) <= 2)"))
