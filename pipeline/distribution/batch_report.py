"""What tasks tell of a batch, as the checkpoint takes it: numbers of streams, rows of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pyarrow as pa

from ...archive.log import PreparedSegment
from ...storage import SharedFolder
from ..flow import QueryRows, QueryRuntime, StreamMoments, StreamTally
from ..sharding import HostedBatch, LogReport, StreamCounts, told_records
from .split_batch import CountedStream

__all__ = ["counted_stream", "query_rows"]

_NO_COUNTS = StreamCounts(0, 0, 0, 0, 0, 0, ())


def query_rows(flows: Mapping[str, QueryRuntime], found: HostedBatch) -> Iterator[QueryRows]:
    """The rows of each query; none of one that has failed. All that rules call comes with the first of them.

    Args:
        flows: the queries, by label.
        found: what tasks have told.
    """
    calls = pa.concat_tables(found.called) if found.called else None
    for label, flow in flows.items():
        rows = found.matches.get(label) if flow.failure is None else None
        written = found.written.get(label) if flow.failure is None else None
        own = calls if flow.firing is not None else None
        calls = None if own is not None else calls
        visible = flow.rows.none if rows is None else rows
        yield QueryRows(label, visible, calls=own, done=found.done.get(label, {}), written=written)


def counted_stream(
    name: str, found: HostedBatch, moments: StreamMoments, folder: SharedFolder, say: Callable[[str], None]
) -> CountedStream:
    """What a batch brought to a stream.

    Args:
        name: the stream's.
        found: what tasks have told.
        moments: where streams are behind the batch.
        folder: that tasks share.
        say: takes a line of the log about files that cannot be read.
    """
    count, read = found.streams.get(name, _NO_COUNTS), found.read.get(name, ())
    segment = found.segments.get(name, LogReport(name, None, 0, 0))
    malformed = sum(report.malformed for report in read)
    time = moments.get(name, (None, None))[0] if count.events else None
    tally = StreamTally(count.events, count.late, count.unusable - malformed, count.duplicates, count.unlinked, time)
    unreadable = [file for report in read for file in report.unreadable]
    said = {file for report in read if report.split.form == "collected" for file in report.unreadable}
    for file in (file for file in unreadable if file not in said):
        say(f"streams.{name}: {file.path} {file.complaint}; see its dead letters")
    records = told_records(folder, name, [report.file for report in read if report.unusable], unreadable)
    return CountedStream.of(tally, PreparedSegment(segment.path, segment.rows, segment.late), records)
