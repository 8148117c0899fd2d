"""Admitted events in, by batch; append-only Parquet segments, the source of truth, out."""

from __future__ import annotations

from .deduplication import ids_before, without_known
from .event_log import EventLog, concatenated, first_of_each_id, write_together
from .idle_watermark_log import AdvanceLog
from .late_events import late_rows
from .manifest import Catalogue, Part, Segment, steadily
from .segment import Position, SegmentFacts, plain

__all__ = [
    "AdvanceLog",
    "Catalogue",
    "EventLog",
    "Part",
    "Position",
    "Segment",
    "SegmentFacts",
    "concatenated",
    "first_of_each_id",
    "ids_before",
    "late_rows",
    "plain",
    "steadily",
    "without_known",
    "write_together",
]
