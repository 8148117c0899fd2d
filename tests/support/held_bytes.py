"""How many bytes operators hold: buffers of columns, each once, whoever holds it."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

__all__ = ["held_bytes"]


def held_bytes(frames: Iterable[pl.DataFrame]) -> int:
    """The bytes behind columns; what several hold, or what overlaps, counts once.

    Args:
        frames: what is held.
    """
    pieces = [piece for frame in frames for column in frame for piece in column.get_chunks()]
    exported = [piece.to_arrow(compat_level=pl.CompatLevel.newest()) for piece in pieces]  # all of them, before any goes
    buffers = [buffer for array in exported for buffer in array.buffers() if buffer is not None]
    counted, end = 0, 0
    for first, behind in sorted({(buffer.address, buffer.address + buffer.size) for buffer in buffers}):
        counted += max(0, behind - max(first, end))
        end = max(end, behind)
    return counted
