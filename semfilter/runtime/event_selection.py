"""Which events a semantic condition selects, and with which bindings; AND and OR over such selections.

A selection is a mask over the batch (when nothing is bound), or a frame with a row per event and distinct solution:
`row`, the event's place in the batch, ascending, and a column per binding.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

Mask = npt.NDArray[np.bool_]
Selection = Mask | pl.DataFrame

ROW = "row"


def all_of(parts: Sequence[Selection]) -> Selection:
    """What all parts select; each combination of their solutions is one."""
    masks = [part for part in parts if isinstance(part, np.ndarray)]
    frames = [part for part in parts if isinstance(part, pl.DataFrame)]
    mask: Mask | None = np.logical_and.reduce(masks) if masks else None
    if not frames:
        return mask if mask is not None else np.zeros(0, np.bool_)
    result = frames[0] if mask is None else frames[0].filter(pl.Series(mask).gather(frames[0][ROW]))
    for frame in frames[1:]:
        result = result.join(frame, on=ROW, how="inner", maintain_order="left_right")
    return result


def any_of(parts: Sequence[Selection]) -> Selection:
    """What some part selects; the bindings of the others are null in its solutions."""
    if all(isinstance(part, np.ndarray) for part in parts):
        mask: Mask = np.logical_or.reduce(parts)
        return mask
    frames = [as_frame(part) for part in parts]
    return pl.concat(frames, how="diagonal").unique(maintain_order=True).sort(ROW, maintain_order=True)


def as_frame(selection: Selection) -> pl.DataFrame:
    """A selection as a frame."""
    if isinstance(selection, pl.DataFrame):
        return selection
    return pl.DataFrame({ROW: np.flatnonzero(selection)}, schema={ROW: pl.Int64})


def events_of(selection: Selection) -> int:
    """How many events a selection has, each counted once."""
    if isinstance(selection, np.ndarray):
        return int(np.count_nonzero(selection))
    rows = selection[ROW].to_numpy()
    return int(np.count_nonzero(rows[1:] != rows[:-1])) + bool(len(rows))
