"""Which rows windows hold, when they are reported, and what later ones can hold (docs/semantics.md 3.14)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from kaicep.cep.windows.window_frames import (
    WindowRows,
    Windows,
    batches_of_count,
    batches_of_time,
    cumulating,
    hopping_by_count,
    hopping_by_time,
    sessions,
    sliding_by_count,
    sliding_by_time,
)


def rows(times: Sequence[int], groups: str = "", events: Sequence[int] | None = None, first_new: int = 0) -> WindowRows:
    group = np.array([ord(letter) for letter in groups]) if groups else None
    return WindowRows(np.array(times), group, None if events is None else np.array(events), first_new)


def held(windows: Windows) -> list[list[int]]:
    """The rows of each window."""
    order = np.arange(10**4) if windows.order is None else windows.order
    return [order[start:end].tolist() for start, end in zip(windows.start, windows.end, strict=True)]


def test_a_sliding_window_holds_less_than_its_width() -> None:
    windows = sliding_by_time(rows([0, 3, 5, 6]), 5, watermark=7)
    assert held(windows) == [[0], [0, 1], [1, 2], [1, 2, 3]]
    assert windows.time.tolist() == [0, 3, 5, 6]
    assert windows.keep.tolist() == [False, True, True, True], "what is above 2 may serve an event at 7"


def test_sliding_windows_are_those_of_new_rows_and_of_their_groups() -> None:
    windows = sliding_by_time(rows([0, 1, 2, 3], "abab", first_new=2), 9, watermark=3)
    assert sorted(held(windows)) == [[0, 2], [1, 3]]
    assert sorted(held(sliding_by_count(rows([0, 1, 2, 3], "abaa"), 2))) == [[0], [0, 2], [1], [2, 3]]


def test_a_window_holds_every_solution_of_its_event() -> None:
    assert held(sliding_by_count(rows([0, 1, 1], events=[0, 1, 1]), 9)) == [[0], [0, 1, 2], [0, 1, 2]]


def test_batches_of_time_are_reported_when_the_watermark_passes_them() -> None:
    windows = batches_of_time(rows([1, 4, 6, 11]), 5, 0, watermark=10)
    assert held(windows) == [[0, 1], [2]]
    assert (windows.lower.tolist(), windows.upper.tolist(), windows.time.tolist()) == ([0, 5], [5, 10], [5, 10])
    assert windows.keep.tolist() == [False, False, False, True]


def test_full_batches_of_a_group_are_reported() -> None:
    windows = batches_of_count(rows([0, 1, 2, 3, 4], "abaab"), 2)
    assert held(windows) == [[0, 2], [1, 4]]
    assert windows.keep.tolist() == [False, False, False, True, False]


def test_hopping_windows_overlap() -> None:
    windows = hopping_by_time(rows([1, 4]), 4, 2, passed=-100, watermark=6)
    assert list(zip(windows.lower.tolist(), held(windows), strict=True)) == [(-2, [0]), (0, [0]), (2, [1])]
    assert windows.keep.tolist() == [False, True]


def test_hopping_by_count_begins_at_every_step() -> None:
    windows = hopping_by_count(rows(range(6)), 3, 2)
    assert held(windows) == [[0, 1, 2], [2, 3, 4]]
    assert windows.keep.tolist() == [False] * 4 + [True] * 2


def test_cumulating_windows_grow_to_their_size() -> None:
    windows = cumulating(rows([1, 3, 5]), 4, 2, passed=-100, watermark=8)
    assert list(zip(windows.upper.tolist(), held(windows), strict=True)) == [(2, [0]), (4, [0, 1]), (6, [2]), (8, [2])]


def test_a_session_is_over_when_its_gap_has_passed() -> None:
    windows = sessions(rows([0, 2, 6, 7]), 3, watermark=9)
    assert (held(windows), windows.upper.tolist()) == ([[0, 1]], [5])
    assert windows.keep.tolist() == [False, False, True, True]
