"""The events of one stream in one batch: what several queries look at is converted, placed and found out once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from threading import Lock

import numpy as np
import polars as pl
import pyarrow as pa

from .....cep.contexts import KnownRanges, Routed
from .....expressions import frame_of
from .....semfilter.runtime import BatchVerdicts, Mask
from .identity_sample import looked_at

__all__ = ["EventBatch", "EventPart"]


class EventBatch:
    """The events of one stream in one batch; what several queries look at is converted once.

    Attributes:
        ranges: where they lie in context windows, as far as queries have asked.
        routed: by contexts and columns, those of them that lie in windows.
        verdicts: of which of them FILTERs and PATHs hold, as far as queries have asked.

    Args:
        table: the event table.
    """

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self.ranges: KnownRanges = {}
        self.routed: dict[tuple[Hashable, ...], tuple[EventBatch, Routed]] = {}
        self.verdicts = BatchVerdicts()
        self._columns: dict[str, pl.Series] = {}
        self._parts: dict[Hashable, EventPart] = {}
        self._samples: dict[float, EventBatch] = {}
        self._lock = Lock()

    def frame(self, names: Sequence[str]) -> pl.DataFrame:
        """The named columns, dictionaries of strings as strings."""
        with self._lock:
            missing = [name for name in names if name not in self._columns]
            if missing:
                self._columns |= frame_of(self.table, missing).to_dict()
            return pl.DataFrame([self._columns[name] for name in names])

    def sample(self, share: float) -> EventBatch:
        """Those of them that are looked at where only a share is, one batch for all who ask."""
        if share not in self._samples:
            chosen = pa.array(looked_at(self.table["_id"], share))
            self._samples.setdefault(share, EventBatch(self.table.filter(chosen)))
        return self._samples[share]

    def part(self, key: Hashable, chosen: Mask) -> EventPart:
        """Those of them that PATHs have chosen, once for all that say the same."""
        found = self._parts.get(key)
        return self._parts.setdefault(key, EventPart(self, chosen)) if found is None else found


class EventPart:
    """The events of a batch whose PATHs hold; queries with these PATHs ask their FILTERs of no others.

    Attributes:
        places: where they stand in the batch.

    Args:
        batch: all events.
        chosen: those whose PATHs hold.
    """

    def __init__(self, batch: EventBatch, chosen: Mask) -> None:
        self.places = np.flatnonzero(chosen)
        self._batch = batch
        self._frames: dict[tuple[str, ...], pl.DataFrame] = {}

    def frame(self, names: tuple[str, ...], mask: Mask | None) -> pl.DataFrame:
        """The named columns of those that FILTERs let pass, too; where all are, one frame for all who ask.

        Args:
            names: of the columns.
            mask: which events of the batch FILTERs let pass; `None`: all.
        """
        passed = None if mask is None else np.flatnonzero(mask[self.places])
        if passed is not None and not len(passed):
            return self._batch.frame(names)[:0]
        if names not in self._frames:
            self._frames.setdefault(names, self._batch.frame(names)[self.places])
        frame = self._frames[names]
        return frame if passed is None or len(passed) == len(self.places) else frame[passed]
