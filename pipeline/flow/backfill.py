"""Backfill: a query that begins in the past is answered over the archive first, and goes on live where that ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from ...archive import ReadView
from ...archive.log import Position
from ...planner import (
    ROWS_AT_ONCE,
    BackfillRequest,
    Choice,
    Seam,
    Strategy,
    TimeRange,
    choose,
    covering_range,
    lowest_watermark,
)
from .batch import Batch, BatchSource
from .dataflow import Dataflow

__all__ = ["Backfill", "queries_with_a_past", "request_of"]


class Backfill:
    """A source of batches: the past of queries of a data flow, registered but given no event yet.

    Args:
        dataflow: where they are registered, at the border between past and live stream.
        labels: the queries; those that read their output are among them.
        archive: of the past.
        upto: the last batch before the border.
        strategy: how the past is answered; `None`: the cheapest way.
        rows: how many events are taken at once, about.

    Attributes:
        dataflow: what the batches are for, with these queries and those whose output they read.
        choice: the way that the past is answered.
        done: how much of the past's time lies behind, from 0 to 1.
    """

    def __init__(
        self,
        dataflow: Dataflow,
        labels: Sequence[str],
        archive: ReadView,
        *,
        upto: Position | None,
        strategy: Strategy | None = None,
        rows: int = ROWS_AT_ONCE,
    ) -> None:
        self._labels = labels
        self.dataflow = dataflow.rehearsal(labels, last=None if upto is None else upto.batch)
        asked = self._asked(upto)
        self.choice: Choice = choose(archive, asked, strategy, rows)
        self._seam = Seam(asked.watermarks)
        self._range = _time_range(archive, asked)
        self.done = 0.0

    def batches(self) -> Iterator[Batch]:
        """The past, piece by piece; each to be processed before the next, to the end: the border."""
        flows = [self.dataflow.flows[label] for label in self._labels]
        for flow in self.dataflow.flows.values():
            flow.past = self.choice
        for part in self.choice.answer.parts():
            self._seam.note(part)
            yield Batch(source=BatchSource.BACKFILL, past=part)
            self.done = self._share(lowest_watermark(part.watermarks))
            if all(flow.ended for flow in flows):
                break
        self.done = 1.0
        for flow in self.dataflow.flows.values():
            flow.intake.seam = self._seam

    def hand_over(self, dataflow: Dataflow) -> None:
        """Let a data flow go on with the queries where the past ends."""
        for label in self._labels:
            dataflow.adopt(label, self.dataflow)

    def _share(self, reached: datetime | None) -> float:
        if self._range is None or reached is None:
            return 0.0
        first, last = self._range
        return min(1.0, max(0.0, (reached - first) / (last - first))) if first < last else 1.0

    def _asked(self, upto: Position | None) -> BackfillRequest:
        span = covering_range([flow.within for flow in self.dataflow.flows.values()])
        return request_of(self.dataflow, span, upto)


def request_of(dataflow: Dataflow, span: TimeRange | None, upto: Position | None) -> BackfillRequest:
    """What is asked of the past for all queries of a data flow.

    Args:
        dataflow: with the queries and those whose output they read; its streams are where they are at the border.
        span: of what time.
        upto: the last batch before the border.
    """
    flows = list(dataflow.flows.values())
    origins = {stream for flow in flows for stream in dataflow.queries.lineage.origins(flow.query)}
    columns: dict[str, frozenset[str]] = {stream: frozenset() for stream in sorted(origins)}
    for flow in flows:
        for stream, names in flow.columns.items():
            if stream in origins:
                columns[stream] |= names
    watermarks = {stream: dataflow.watermarks[stream] for stream in columns}
    queries = tuple(flow.query for flow in flows)
    sampled = any(flow.intake.shed is not None for flow in flows)
    return BackfillRequest(queries, span, columns, watermarks, upto, dataflow.cancelled, sampled)


def _time_range(archive: ReadView, asked: BackfillRequest) -> tuple[datetime, datetime] | None:
    """From when to when what is asked of the past lies; `None`: there is nothing."""
    known = archive.scan(asked.columns, upto=asked.upto).time_range()
    if known is None or asked.span is None:
        return None
    first, last = known
    start, end = asked.span.start or first, asked.span.end or last
    return max(first, start), min(last, end)


def queries_with_a_past(dataflow: Dataflow, labels: Sequence[str]) -> list[str]:
    """Those of some registered queries that speak of the time before their registration, or read one that does."""
    found: list[str] = []
    for label in labels:
        flow = dataflow.flows[label]
        now = flow.registration.now
        early = now is not None and flow.within.begins_before(now)
        if early or any(flow.streams.intersection(dataflow.flows[other].query.streams) for other in found):
            found.append(label)
    return found
