"""Admitted events in, by batch; append-only Parquet segments, the source of truth, out."""

from __future__ import annotations

from .batch_index import BatchFacts, Position
from .batch_scan import scan_batches
from .compacted_segment import batches_of, write_compacted
from .deduplication import drop_late_duplicates, earlier_ids
from .event_log import EventLog, PreparedSegment
from .idle_watermark_log import IdleWatermarkLog
from .late_events import late_rows
from .log_reader import LogReader
from .log_scan import LogScan, rows_between, with_all_columns
from .manifest import Manifest, Segment, SegmentSlice, read_consistently
from .quarantine import QuarantinedSegment, quarantined
from .segment import (
    BrokenSegmentError,
    SegmentFacts,
    UnreadableSegmentError,
    check_segment,
    plain_table,
    read_segment,
    segment_facts,
    segment_name,
    write_segment,
)
from .table_union import concatenated, first_of_each_id

__all__ = [
    "BatchFacts",
    "BrokenSegmentError",
    "EventLog",
    "IdleWatermarkLog",
    "LogReader",
    "LogScan",
    "Manifest",
    "Position",
    "PreparedSegment",
    "QuarantinedSegment",
    "Segment",
    "SegmentFacts",
    "SegmentSlice",
    "UnreadableSegmentError",
    "batches_of",
    "check_segment",
    "concatenated",
    "drop_late_duplicates",
    "earlier_ids",
    "first_of_each_id",
    "late_rows",
    "plain_table",
    "quarantined",
    "read_consistently",
    "read_segment",
    "rows_between",
    "scan_batches",
    "segment_facts",
    "segment_name",
    "with_all_columns",
    "write_compacted",
    "write_segment",
]
