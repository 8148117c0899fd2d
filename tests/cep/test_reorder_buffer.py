"""Candidates wait until the watermark has passed them, and leave in total order (docs/semantics.md 1.4)."""

from __future__ import annotations

import polars as pl
from kaicep.cep.reorder_buffer import ReorderBuffer, in_total_order
from support.frames import frame_at


def ids(frame: pl.DataFrame) -> list[str]:
    return frame["_id"].to_list()


def test_total_order_is_by_time_then_id_then_bindings() -> None:
    frame = frame_at([2, 1, 1, 1], ["c", "b", "a", "a"], {"?room": ["p", "p", "q", None]})
    ordered = in_total_order(frame, ("?room",))
    assert list(zip(ids(ordered), ordered["?room"], strict=True)) == [("a", None), ("a", "q"), ("b", "p"), ("c", "p")]


def test_what_is_in_order_stays_as_it_is() -> None:
    frame = frame_at([1, 2, 2], ["z", "a", "b"])
    assert in_total_order(frame) is frame


def test_only_what_lies_below_the_watermark_is_released() -> None:
    buffer = ReorderBuffer(frame_at([]))
    assert buffer.due is None
    assert ids(buffer.release(frame_at([5, 3, 4], ["e", "c", "d"]), 4)) == ["c"]
    assert buffer.due == 5, "the watermark has to pass the candidate at 4"
    assert ids(buffer.release(frame_at([4], ["a"]), 5)) == ["a", "d"]
    assert ids(buffer.held) == ["e"]
