"""The output order of windows (docs/semantics.md 3.14)."""

from __future__ import annotations

import numpy as np
import polars as pl
from kaicep.cep.windows.window_frames import WindowRows, Windows, sliding_by_count
from kaicep.cep.windows.window_order import event_places, order_windows
from support.frames import frame_at


def windows_of(time: list[int], last: list[int]) -> Windows:
    places = np.array(last)
    moments = np.array(time)
    return Windows(None, places, places + 1, places, moments, moments, moments, np.zeros(len(last), dtype=bool))


def test_windows_come_by_their_time_and_then_by_their_last_rows() -> None:
    frame = frame_at([1, 2, 3], ["a", "b", "c"])
    windows = windows_of([9, 5, 5, 7], [0, 2, 1, 2])
    assert order_windows(windows, np.arange(4), frame, [], None).tolist() == [2, 1, 3, 0]


def test_only_windows_that_stand_are_ordered() -> None:
    frame = frame_at([1, 2, 3], ["a", "b", "c"])
    windows = windows_of([3, 2, 1], [2, 1, 0])
    assert order_windows(windows, np.array([0, 2]), frame, [], None).tolist() == [2, 0]


def test_windows_of_one_event_come_by_their_group_unbound_first() -> None:
    frame = frame_at([1, 1, 1], ["a", "a", "a"], {"?room": ["q", None, "p"]})
    time, group = np.zeros(3, dtype=np.int64), np.array([2, 0, 1])
    windows = sliding_by_count(WindowRows(time, group, event_places(time, frame["_id"]), 0), 1)
    ordered = order_windows(windows, np.arange(3), frame, [frame["?room"]], ())
    assert frame["?room"][windows.last[ordered]].to_list() == [None, "p", "q"]


def test_solutions_of_one_event_share_its_place() -> None:
    ids = pl.Series(["a", "a", "b", "b", "b"])
    assert event_places(np.array([1, 1, 1, 2, 2]), ids).tolist() == [1, 1, 2, 3, 3]
