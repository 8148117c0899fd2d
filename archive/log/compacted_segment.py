"""A segment of several batches: how it is written, and read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from ...storage import StoragePath
from .batch_index import BatchFacts, Position
from .manifest import Manifest, Segment
from .segment import write_segment
from .table_union import union_by_name

__all__ = ["batches_of", "write_compacted"]


def write_compacted(path: StoragePath, batches: Mapping[Position, pa.Table]) -> None:
    """Write one segment of several batches of a stream, durably and at once.

    Args:
        path: its file.
        batches: their plain events; none is empty.

    Raises:
        ArchiveError: the file system refuses, or a column has types that do not go together.
    """
    ordered = sorted(batches.items())
    ranges = [pc.min_max(events["_time"]).as_py() for _, events in ordered]
    known = [BatchFacts(p, t.num_rows, r["min"], r["max"]) for (p, t), r in zip(ordered, ranges, strict=True)]
    write_segment(path, union_by_name([(path, events) for _, events in ordered]), known)


def batches_of(manifest: Manifest, one: Segment) -> Iterator[tuple[Position, pa.Table]]:
    """Read the batches of a segment.

    Raises:
        FileNotFoundError: it is gone.
        ArchiveError: it is broken.
    """
    events = manifest.read(one.path)
    if one.single:
        yield one.first, events
        return
    index = manifest.batches(one)
    for i, position in enumerate(index.positions()):
        rows = index.rows(range(i, i + 1))
        yield position, events.slice(rows.start, len(rows))
