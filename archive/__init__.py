"""The archive: admitted events go in, by batch; the event log (Parquet) and the semantic store (Oxigraph) come out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .archive import Archive, Counts
    from .archive_backup import backup, restore
    from .archive_repair import Repair, repair
    from .folder_layout import LOG, ArchivePlace, intake_of
    from .read_view import ReadView, open_read_view
    from .roll_forward import roll_store_forward
    from .verification import Health, verify

_LATER = {
    "Archive": ".archive",
    "ArchivePlace": ".folder_layout",
    "Counts": ".archive",
    "LOG": ".folder_layout",
    "Health": ".verification",
    "ReadView": ".read_view",
    "Repair": ".archive_repair",
    "backup": ".archive_backup",
    "intake_of": ".folder_layout",
    "open_read_view": ".read_view",
    "repair": ".archive_repair",
    "restore": ".archive_backup",
    "roll_store_forward": ".roll_forward",
    "verify": ".verification",
}

__all__ = [
    "LOG",
    "Archive",
    "ArchivePlace",
    "Counts",
    "Health",
    "ReadView",
    "Repair",
    "backup",
    "intake_of",
    "open_read_view",
    "repair",
    "restore",
    "roll_store_forward",
    "verify",
]


def __getattr__(name: str) -> object:
    """What opens an archive, on first use: of what it writes and reads some need only the types."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
