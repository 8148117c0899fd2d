"""What the log has and the store lacks: written in the background, brought back on request; the spool."""

from __future__ import annotations

from .compaction import CompactionResult, compact_archive
from .maintenance import Maintenance, MaintenancePolicy
from .pending_writes import PendingWrites, held_of
from .rehydration import EncodedLog, load_buckets
from .spool import KeptEvents, Spool
from .store_writer import Lag, StoreWriter, lag_of

__all__ = [
    "CompactionResult",
    "EncodedLog",
    "KeptEvents",
    "Lag",
    "Maintenance",
    "MaintenancePolicy",
    "PendingWrites",
    "Spool",
    "StoreWriter",
    "compact_archive",
    "held_of",
    "lag_of",
    "load_buckets",
]
