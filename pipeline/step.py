"""One batch of the data flow: what it brought, and, when it is taken again, how it was judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import pyarrow as pa

from ..annotator import Annotator
from ..ontology import KnowledgeBase

__all__ = ["Past", "Step", "StreamStep"]


@dataclass(frozen=True, slots=True)
class StreamStep:
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


@dataclass(frozen=True, slots=True)
class Step:
    """What one batch brought: per stream, and per query label the rows that became certain."""

    streams: Mapping[str, StreamStep] = field(default_factory=dict)
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
