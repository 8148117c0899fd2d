"""An external sort: the events of a stream in order of time, without all of them in memory.

Runs that are sorted in memory lie in files of a temporary folder, and are merged range by range of time. Source: Knuth,
The Art of Computer Programming, vol. 3, 5.4; events of one time stamp stay in order of arrival.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from ...annotator import AnnotatedBatch

__all__ = ["in_order_of_time"]

_ROWS = 1 << 17
"""Of a run, and of what is merged at once, about."""
_BLOCK = 1 << 13
"""Rows that are unpacked together."""


def in_order_of_time(pieces: Iterable[AnnotatedBatch]) -> Generator[AnnotatedBatch]:
    """Give the events of all pieces in order of time, those of one time stamp in order of arrival.

    A recording that is no larger than a run stays in memory.

    Args:
        pieces: in order of arrival.

    Returns:
        Batches of about equal size; the first one has what was said of all tuples besides.
    """
    runs: list[_Run] = []
    waiting: list[AnnotatedBatch] = []
    others: list[AnnotatedBatch] = []
    with TemporaryDirectory(prefix="kaicep-") as folder:
        for piece in pieces:
            waiting.append(piece)
            if sum(each.events.num_rows for each in waiting) >= _ROWS:
                one = AnnotatedBatch.by_time(waiting)
                runs.append(_Run.write(Path(folder) / f"{len(runs)}.arrow", one.events))
                others.append(_without_events(one))
                waiting = []
        last = [AnnotatedBatch.by_time(waiting)] if waiting else []
        if not runs:
            yield from last
            return
        memory = [_Run.of(one.events) for one in last]
        said = AnnotatedBatch.by_time(
            [*others, *(replace(one, events=one.events.schema.empty_table()) for one in last)]
        )
        for events in _merged([*runs, *memory]):
            yield replace(said, events=events)
            said = AnnotatedBatch.of_events(events)


@dataclass(frozen=True, slots=True)
class _Run:
    """Events in order of time, in memory or in a file.

    Attributes:
        times: their time stamps, int64.
        events: them; of a file, blocks that are unpacked when they are asked for.
    """

    times: np.ndarray
    events: pa.Table | pa.ipc.RecordBatchFileReader

    @classmethod
    def of(cls, events: pa.Table) -> _Run:
        return cls(_times(events), events)

    @classmethod
    def write(cls, path: Path, events: pa.Table) -> _Run:
        # Codes of dictionaries mean nothing beyond their run, and a file has one dictionary for all its blocks.
        options = pa.ipc.IpcWriteOptions(compression="lz4", unify_dictionaries=True)
        with pa.ipc.new_file(path, events.schema, options=options) as file:
            file.write_table(events, max_chunksize=_BLOCK)
        return cls(_times(events), pa.ipc.open_file(pa.memory_map(str(path))))

    def between(self, first: int, end: int) -> pa.Table:
        """The events of first <= time stamp < end."""
        start, stop = np.searchsorted(self.times, [first, end]).tolist()
        if isinstance(self.events, pa.Table):
            return self.events.slice(start, stop - start)
        blocks = range(start // _BLOCK, -(-stop // _BLOCK))
        found = pa.Table.from_batches([self.events.get_batch(block) for block in blocks], self.events.schema)
        return found.slice(start - start // _BLOCK * _BLOCK, stop - start)


def _without_events(batch: AnnotatedBatch) -> AnnotatedBatch:
    return replace(batch, events=batch.events.schema.empty_table())


def _times(events: pa.Table) -> np.ndarray:
    return np.asarray(events["_time"].combine_chunks().cast(pa.int64()))


def _merged(runs: list[_Run]) -> Iterator[pa.Table]:
    times = np.sort(np.concatenate([run.times for run in runs]))
    borders = [*np.unique(times[::_ROWS]).tolist(), int(times[-1]) + 1]
    for first, end in pairwise(borders):
        parts = [AnnotatedBatch.of_events(run.between(first, end)) for run in runs]
        yield AnnotatedBatch.by_time(parts).events
