"""The Spark job around the data flow, the engine that runs it, and the archiver beside it."""

from __future__ import annotations

from .archiver import archive
from .engine import StreamingEngine
from .handle import QueryHandle
from .progress_line import ProgressLine
from .query_run import Signals, archive_behind, read, run_queries, summary

__all__ = [
    "ProgressLine",
    "QueryHandle",
    "Signals",
    "StreamingEngine",
    "archive",
    "archive_behind",
    "read",
    "run_queries",
    "summary",
]
