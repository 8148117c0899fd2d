"""One batch of the data flow: what it brought, and, when it is taken again, how it was judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import pyarrow as pa

from ...annotator import Annotator
from ...archive.log import plain_table
from ...ontology import KnowledgeBase

__all__ = ["BatchResult", "Past", "StreamResult", "joined", "together"]


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
    def tables(self) -> tuple[pa.Table, pa.Table]:
        """Admitted events, late ones."""
        return self.events, self.late


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What one batch brought: per stream, and per query label the rows that became certain."""

    streams: Mapping[str, StreamResult] = field(default_factory=dict)
    matches: Mapping[str, pa.Table] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Past:
    """A batch that was taken before, and how it was judged then.

    Attributes:
        events: event tables by stream, late events among them.
        annotators: those in force then.
        knowledge: likewise.
        advances: where the watermarks of silent streams were moved after that (`Dataflow.advance`).
    """

    events: Mapping[str, pa.Table]
    annotators: Mapping[str, Annotator]
    knowledge: KnowledgeBase
    advances: Mapping[str, datetime] = field(default_factory=dict)


def together(steps: Sequence[Mapping[str, StreamResult]]) -> dict[str, StreamResult]:
    """Several steps as one, in their order; the events as the log has them. One step is itself."""
    if len(steps) == 1:
        return dict(steps[0])
    found = {}
    for stream in dict.fromkeys(stream for step in steps for stream in step):
        own = [step[stream] for step in steps if stream in step]
        found[stream] = StreamResult(
            _with_rows([step.events for step in own]),
            _with_rows([step.late for step in own]),
            pa.concat_tables([step.rejected for step in own]),
            sum(step.duplicates for step in own),
            sum(step.unlinked for step in own),
        )
    return found


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """Event tables one after the other, with the columns of all, as the log has them."""
    return pa.concat_tables([plain_table(table) for table in tables], promote_options="default")


def _with_rows(tables: Sequence[pa.Table]) -> pa.Table:
    table = joined(tables)
    return table.append_column("_row", pa.nulls(table.num_rows, pa.int64()))
