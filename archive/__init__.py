"""The archive: admitted events go in, by batch; the event log (Parquet) and the semantic store (Oxigraph) come out."""

from __future__ import annotations

from .archive import Archive, Counts
from .archive_backup import backup, restore
from .archive_repair import Repair, repair
from .folder_layout import has_segments
from .read_view import ReadView, open_read_view
from .roll_forward import roll_store_forward
from .verification import Health, verify

__all__ = [
    "Archive",
    "Counts",
    "Health",
    "ReadView",
    "Repair",
    "backup",
    "has_segments",
    "open_read_view",
    "repair",
    "restore",
    "roll_store_forward",
    "verify",
]
