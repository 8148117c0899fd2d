"""The state of queries from the log, where no snapshot has it: what they may still need of the past, and no more of it.

Where the streams were is noted with each batch, so that of the log only those events are read that a window may still
hold (`cep/state_horizon.py`); its footers tell which segments have them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pyarrow as pa

from ....archive import ReadView
from ....archive.log import Position, read_consistently
from ....cep import horizon_of
from ....planner import ROWS_AT_ONCE, BackfillChunk, TimeRange, covering_range, lowest_watermark, replayed
from ...flow import Batch, BatchSource, Dataflow, StreamMoments, no_identities, request_of
from ...knowledge import KnowledgeVersions

__all__ = ["StateReplay", "is_bounded"]

_FIRST, _LAST = (moment.replace(tzinfo=UTC) for moment in (datetime.min, datetime.max))  # noqa: DTZ901 - has one here
_MICROSECOND = timedelta(microseconds=1)


class StateReplay:
    """A source of batches: brings queries that have seen nothing to the end of a batch; their rows were reported.

    Args:
        dataflow: with the queries, and those whose output they read.
        archive: whose log has the past.
        versions: of the knowledge: each event is judged by that which judged it.
        moments: where the streams were.
        last: the batch.
        until: they are asked at this moment and take nothing afterwards: later events are left out; `None`: they go on.

    Attributes:
        dataflow: what the batches are for.
        done: how much of the past's time lies behind, from 0 to 1.
    """

    def __init__(
        self,
        dataflow: Dataflow,
        archive: ReadView,
        versions: KnowledgeVersions,
        moments: StreamMoments,
        last: int,
        *,
        until: datetime | None = None,
    ) -> None:
        self.dataflow, self.done = dataflow, 0.0
        self._archive, self._versions, self._moments, self._last = archive, versions, moments, last
        self._until = until
        self._upto = Position(archive.log.generation, last)
        self._recalled = False

    def recall(self) -> None:
        """Let the streams be where they were; what is asked of the past is known then."""
        if not self._recalled:
            known = partial(_identities, self._archive, self._upto)
            self.dataflow.recall(self._moments, known if self._until is None else no_identities)
            self._recalled = True

    def batches(self) -> Iterator[Batch]:
        """What the queries need, piece by piece; each to be processed before the next."""
        span = self._span()
        request = request_of(self.dataflow, span, self._upto)
        versions = self._batches_by_version() if span is not None and span.start != _LAST else []
        for place, (after, upto) in enumerate(versions, start=1):
            scan = self._archive.scan(request.columns, after, upto)
            is_last, known = place == len(versions), scan.time_range()
            if is_last or (known is not None and _reaches(known[1], span)):
                # What other knowledge judges comes with no regard to time: until all is there, all waits.
                watermarks = request.watermarks if is_last else dict.fromkeys(request.watermarks)
                judgement = self._versions.at(upto.batch).judgement
                for part in replayed(scan, replace(request, watermarks=watermarks), ROWS_AT_ONCE):
                    yield Batch(source=BatchSource.STATE, past=part, judged_by=judgement)
            self.done = place / len(versions)
        if self._until is None and versions:  # behind WITHIN too: what was reported when the streams went on comes now
            yield Batch(source=BatchSource.STATE, past=BackfillChunk(request.watermarks))
        self.done = 1.0

    @property
    def whole(self) -> bool:
        """Whether the log has all that the queries need."""
        first = self._archive.log.first
        if not self._archive.forgets or first is None or first.batch <= 1:
            return True
        span, known = self._span(), self._archive.log.extent()
        return span is None or known is None or (span.start is not None and span.start >= known[0])

    @property
    def start(self) -> datetime | None:
        """From when on the log is needed; `None`: from its beginning, or not at all."""
        span = self._span()
        return None if span is None or span.start == _LAST else span.start

    def _span(self) -> TimeRange | None:
        """The time that the queries need of what they speak of; `None`: nothing."""
        self.recall()
        flows = self.dataflow.flows
        whole = covering_range([flow.within for flow in flows.values()])
        if whole is not None and self._until is not None:
            later = self._until + _MICROSECOND
            whole = TimeRange(whole.start, later if whole.end is None else min(whole.end, later))
        starts = [_start(self.dataflow, label) for label in flows]
        if whole is None or any(start is None for start in starts):
            return whole
        start = min(start for start in starts if start is not None)
        return TimeRange(start if whole.start is None else max(start, whole.start), whole.end)

    def _batches_by_version(self) -> Sequence[tuple[Position | None, Position]]:
        """The batches that one version of the knowledge judged after the other: behind which one, up to which one."""
        begun = sorted({v.batch for v in self._versions.store.versions() if 1 < v.batch <= self._last})
        ends = [Position(self._upto.generation, batch) for batch in (*(batch - 1 for batch in begun), self._last)]
        return list(zip([None, *ends], ends, strict=False))


def _reaches(moment: datetime, span: TimeRange | None) -> bool:
    return span is not None and (span.start is None or moment >= span.start)


def is_bounded(dataflow: Dataflow, label: str) -> bool:
    """Whether a query needs of the past only what lies so far behind the watermarks of its streams."""
    return _start(dataflow, label) is not None


def _start(dataflow: Dataflow, label: str) -> datetime | None:
    """From when on a query, and those whose output it reads, need events; `None`: from the beginning.

    Where no stream has begun there are none: from the end of time. Of contexts other streams decide as well.
    """
    flow = dataflow.flows[label]
    watermarks = {stream: dataflow.watermarks[stream] for stream in dataflow.queries.lineage.origins(flow.query)}
    watermark, reach = lowest_watermark(watermarks), _reach(dataflow, label, frozenset())
    if all(known is None for known in watermarks.values()) and (reach is not None or not _in_contexts(dataflow, label)):
        return _LAST
    if reach is None or watermark is None:
        return None
    return _FIRST if watermark - _FIRST < reach else watermark - reach


def _in_contexts(dataflow: Dataflow, label: str) -> bool:
    """Whether a query, or one whose output it reads, speaks of contexts."""
    return any(dataflow.flows[other].query.context_sets for other in dataflow.queries.lineage.closed([label]))


def _reach(dataflow: Dataflow, label: str, readers: frozenset[str]) -> timedelta | None:
    """How far behind the watermarks of source streams; `None`: however far, as where rules feed their own rows."""
    query = dataflow.flows[label].registration.query
    own = None if label in readers else horizon_of(query)
    if own is None:
        return None
    read = [other for source in query.sources for other in dataflow.queries.lineage.labels_of(source.stream.name)]
    upstream = [_reach(dataflow, other, readers | {label}) for other in read]
    if any(reach is None for reach in upstream):
        return None
    # Twice: a match that grows is held back as long, and so is the watermark of the rows that others read.
    return 2 * own + max((reach for reach in upstream if reach is not None), default=timedelta(0))


def _identities(archive: ReadView, upto: Position, stream: str, start: datetime | None, count: int | None) -> pa.Table:
    def read() -> pa.Table:
        slices = archive.log.slices(stream, upto=upto)
        if count is not None:
            rows, first = 0, len(slices)
            while first and rows < count:
                first -= 1
                rows += slices[first].facts.rows
            slices = slices[first:]
        return archive.log.read_slices(slices, start, columns=["_id", "_time"])

    return read_consistently(read)
