"""What one batch brought: admitted events per stream, rows per query, watermarks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

from ...cep import joined_rows
from .answering import QueryRows
from .batch import BatchSource
from .rules import CALLED, in_order

__all__ = ["BatchResult", "StreamResult", "StreamTally", "joined", "merged"]


@dataclass(frozen=True, slots=True)
class StreamTally:
    """How many of the tuples of one stream and one batch became what.

    Attributes:
        events: admitted.
        late: below the watermark.
        rejected: no events.
        duplicates: of an identity that was seen before.
        unlinked: values that name no individual of the knowledge base.
        time: the greatest time stamp of those that were admitted; `None`: there are none.
    """

    events: int
    late: int
    rejected: int
    duplicates: int
    unlinked: int
    time: datetime | None

    def with_more(self, other: StreamTally) -> StreamTally:
        """The numbers of both."""
        times = [time for time in (self.time, other.time) if time is not None]
        return StreamTally(
            self.events + other.events,
            self.late + other.late,
            self.rejected + other.rejected,
            self.duplicates + other.duplicates,
            self.unlinked + other.unlinked,
            max(times, default=None),
        )


@dataclass(frozen=True, slots=True)
class StreamResult:
    """What one batch brought to one stream.

    Attributes:
        events: event table of the admitted tuples.
        late: event table of the tuples below the watermark: archived, no part of the stream.
        rejected: rows of the raw table that are no events (row int64, reason string).
        duplicates: tuples whose identity was seen before.
        unlinked: values that name no individual of the knowledge base.
    """

    events: pa.Table
    late: pa.Table
    rejected: pa.Table
    duplicates: int
    unlinked: int

    @property
    def archived(self) -> pa.Table:
        """The events to archive: admitted ones and late ones, marked."""
        parts = [
            part.drop_columns("_row").append_column("_late", pa.repeat(pa.scalar(mark), part.num_rows))
            for part, mark in ((self.events, False), (self.late, True))
        ]
        return pa.concat_tables(parts)

    @property
    def tally(self) -> StreamTally:
        """The numbers."""
        events, late, rejected = self.events.num_rows, self.late.num_rows, self.rejected.num_rows
        time = pc.max(self.events["_time"]).as_py() if events else None
        return StreamTally(events, late, rejected, self.duplicates, self.unlinked, time)

    @property
    def first(self) -> datetime | None:
        """The least time stamp of the admitted tuples; `None`: there are none, or nobody here knows."""
        return pc.min(self.events["_time"]).as_py() if self.events.num_rows else None

    @property
    def tables(self) -> tuple[pa.Table, pa.Table]:
        """Admitted events, late ones."""
        return self.events, self.late

    def behind(self, earlier: Sequence[StreamResult]) -> StreamResult:
        """Earlier ones of the same batch and this one behind them, as one; the events as the log has them."""
        every = (*earlier, self)
        return StreamResult(
            _with_rows([result.events for result in every]),
            _with_rows([result.late for result in every]),
            pa.concat_tables([result.rejected for result in every]),
            sum(result.duplicates for result in every),
            sum(result.unlinked for result in every),
        )


class BatchResult:
    """What one batch brought.

    The events are admitted when there is a result; queries are answered while somebody takes the rows, so that what is
    durable first can be made so, and the rows of one query are written while another is answered. The data flow takes
    what nobody has taken before it processes the next batch.

    Attributes:
        counts: by query label, how many rows were taken so far.
        streams: by stream, what was admitted and what was not.
        watermarks: by stream, after the batch; `None`: the stream has not begun.
        advances: those that were moved because their streams are idle, and where to.
        idled: the clock was asked for these, and no record of another time.
        source: where the batch came from.
        done: by rule, how much it has done for the rows that were taken so far, by what it does.
        called: what rules have called for the rows that were taken so far, as `rules.in_order` takes it.
    """

    def __init__(
        self,
        streams: Mapping[str, StreamResult],
        answers: Iterable[QueryRows],
        watermarks: Mapping[str, datetime | None],
        advances: Mapping[str, datetime],
        source: BatchSource = BatchSource.LIVE,
        *,
        idled: bool = False,
    ) -> None:
        self.streams, self.watermarks, self.advances, self.idled = streams, watermarks, advances, idled
        self.source = source
        self._answers = iter(answers)
        self._kept: dict[str, list[pa.Table]] = {}
        self.counts: dict[str, int] = {}
        self.done: dict[str, Mapping[str, int]] = {}
        self.called: list[pa.Table] = []

    def rows(self) -> Iterator[QueryRows]:
        """The rows of each query, as they become certain; many come piece by piece, and are not kept."""
        for answer in self._answers:
            self.counts[answer.label] = self.counts.get(answer.label, 0) + answer.num_rows
            self.count_done({answer.label: answer.done} if answer.done else {})
            if answer.calls is not None:
                self.called.append(answer.calls)
            yield answer

    def count_done(self, done: Mapping[str, Mapping[str, int]]) -> None:
        """Count what rules have done."""
        for rule, counts in done.items():
            before = self.done.get(rule, {})
            self.done[rule] = {**before, **{what: before.get(what, 0) + count for what, count in counts.items()}}

    def add_calls(self, calls: Sequence[pa.Table]) -> None:
        """Take what rules call that are answered apart from the batch, and count it."""
        self.called += calls
        for table in calls:
            counts = table["rule"].value_counts().to_pylist()
            self.count_done({each["values"]: {CALLED: each["counts"]} for each in counts})

    def count_no_calls(self) -> None:
        """Count none of what rules have called: nobody makes these calls."""
        self.done = {
            rule: {what: 0 if what == CALLED else count for what, count in counts.items()}
            for rule, counts in self.done.items()
        }

    def rows_of(self, label: str) -> Iterator[pa.Table]:
        """The rows of one query, likewise; those of the others are passed over."""
        return (answer.rows for answer in self.rows() if answer.label == label)

    @property
    def matches(self) -> dict[str, pa.Table]:
        """All rows that `rows` has not given, by query label."""
        for answer in self.rows():
            self._kept.setdefault(answer.label, []).append(answer.rows)
        return {label: joined_rows(pieces) for label, pieces in self._kept.items()}

    @property
    def calls(self) -> pa.Table:
        """What rules call, of the schema `rules.CALLS`, in order; of the rows that `rows` or `matches` has given."""
        return in_order(self.called)


def merged(results: Sequence[Mapping[str, StreamResult]]) -> Mapping[str, StreamResult]:
    """Several results as one, in their order; the events as the log has them. One result is itself."""
    if len(results) == 1:
        return results[0]
    found = {}
    for stream in dict.fromkeys(stream for result in results for stream in result):
        *earlier, last = [result[stream] for result in results if stream in result]
        found[stream] = last.behind(earlier)
    return found


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """Event tables one after the other, with the columns of all, as the log has them."""
    from ...archive.log import plain_table  # noqa: PLC0415 - of results that are one, nothing is asked of the log

    return pa.concat_tables([plain_table(table) for table in tables], promote_options="default")


def _with_rows(tables: Sequence[pa.Table]) -> pa.Table:
    table = joined(tables)
    return table.append_column("_row", pa.nulls(table.num_rows, pa.int64()))
