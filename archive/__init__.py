"""The archive: admitted events go in, by batch; the event log (Parquet) and the semantic store (Oxigraph) come out."""

from __future__ import annotations

from .archive import Archive, Counts
from .backup import backup
from .endpoint_reader import EndpointReader
from .folder_layout import LOG
from .history import History
from .read_view import Recorded, view_archive
from .reader import ArchiveReader, open_reader
from .restore import restore
from .verify import Health, verify

__all__ = [
    "LOG",
    "Archive",
    "ArchiveReader",
    "Counts",
    "EndpointReader",
    "Health",
    "History",
    "Recorded",
    "backup",
    "open_reader",
    "restore",
    "verify",
    "view_archive",
]
