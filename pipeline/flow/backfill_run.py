"""Queries that begin in the past: they are answered over the archive first, then go on live."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from ...archive import ReadView
from ...archive.log import Position
from ...planner import ROWS_AT_ONCE, BackfillRequest, Choice, Seam, Strategy, choose, covering_range
from .dataflow import Dataflow


class Backfill:
    """Brings queries of a data flow, registered but given no event yet, through the past.

    Args:
        dataflow: where they are registered, at the border between past and live stream.
        labels: the queries; those that read their output are among them.
        archive: of the past.
        upto: the last batch before the border.
        strategy: how the past is answered; `None`: the cheapest way.
        rows: how many events are taken at once, about.
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
        self._dataflow = dataflow
        self._labels = labels
        self._rehearsal = dataflow.rehearsal(labels)
        asked = self._asked(upto)
        self.choice: Choice = choose(archive, asked, strategy, rows)
        self._seam = Seam(asked.watermarks)

    def rows(self) -> Iterator[dict[str, pa.Table]]:
        """The rows that the past makes certain, by label, piece by piece; to be taken to the end."""
        flows = [self._rehearsal.flows[label] for label in self._labels]
        for flow in self._rehearsal.flows.values():
            flow.past = self.choice
        for part in self.choice.answer.parts():
            self._seam.note(part)
            yield self._rehearsal.take(part)
            if all(flow.ended for flow in flows):
                break
        for flow in self._rehearsal.flows.values():
            flow.seam = self._seam

    @property
    def rehearsal(self) -> Dataflow:
        """The data flow that the past goes through, at the end of `rows` at the border."""
        return self._rehearsal

    def hand_over(self) -> None:
        """Let the data flow go on where the past ends."""
        for label in self._labels:
            self._dataflow.adopt(label, self._rehearsal)

    def _asked(self, upto: Position | None) -> BackfillRequest:
        flows = list(self._rehearsal.flows.values())
        origins = {stream for flow in flows for stream in self._rehearsal.origins(flow.query)}
        columns: dict[str, frozenset[str]] = {stream: frozenset() for stream in sorted(origins)}
        for flow in flows:
            for stream, names in flow.columns.items():
                if stream in origins:
                    columns[stream] |= names
        watermarks = {stream: self._dataflow.watermarks[stream] for stream in columns}
        span = covering_range([flow.within for flow in flows])
        return BackfillRequest(tuple(flow.query for flow in flows), span, columns, watermarks, upto)


def begin_in_the_past(dataflow: Dataflow, labels: Sequence[str]) -> list[str]:
    """Those of some registered queries that speak of the time before their registration, or read one that does."""
    found: list[str] = []
    for label in labels:
        flow = dataflow.flows[label]
        now = flow.registration.now
        early = now is not None and flow.within.begins_before(now)
        if early or any(dataflow.flows[other].query.name in flow.streams for other in found):
            found.append(label)
    return found
