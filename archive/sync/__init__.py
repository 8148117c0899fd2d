"""What the log has and the store lacks: written in the background, brought back on request."""

from __future__ import annotations

from .compaction import Compacted, compact_archive
from .maintenance import Housekeeping, Keeper
from .pending_writes import Backlog, held_of
from .rehydrate import Buckets, Dataset, Kept, Recall, ask, ask_copy, ask_log, closure_of, recall_for
from .spool import Intake
from .store_writer import Lag, StoreWriter, lag_of

__all__ = [
    "Backlog",
    "Buckets",
    "Compacted",
    "Dataset",
    "Housekeeping",
    "Intake",
    "Keeper",
    "Kept",
    "Lag",
    "Recall",
    "StoreWriter",
    "ask",
    "ask_copy",
    "ask_log",
    "closure_of",
    "compact_archive",
    "held_of",
    "lag_of",
    "recall_for",
]
