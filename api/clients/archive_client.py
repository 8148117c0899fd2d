"""What a run has left to whoever asks its archive next: events that the store lacks, unless an engine adds them."""

from __future__ import annotations

from collections.abc import Callable

from ...archive import LOG, ArchivePlace, open_read_view, roll_store_forward
from ...archive.log import EventLog
from ...archive.store import StoreDamagedError
from ...config import Settings
from ...storage import masked
from ..project import Project

__all__ = ["complete_store", "store_lacks"]


def store_lacks(settings: Settings) -> int:
    """How many events and matches the store lacks; all, where it is damaged; none, where nobody here completes it.

    Raises:
        ArchiveError: there is no archive.
    """
    if settings.archive.endpoint is not None or not settings.archive.store:
        return 0
    try:
        with open_read_view(settings) as archive:
            return archive.lag.events + archive.lag.matches
    except StoreDamagedError:  # whoever brings it up to the log sets it aside, and says so
        log = EventLog(ArchivePlace.of(settings).log(LOG))
        return sum(log.count(stream) for stream in log.streams())


def complete_store(
    settings: Settings, told: Callable[[float], object] = lambda _: None, timeout: float | None = None
) -> bool:
    """Let the store have what it lacks, unless an engine is there to add it; as `roll_store_forward`."""
    with masked(settings.engine.umask):
        project = Project.of(settings)
        return roll_store_forward(settings, project.knowledge, project.shapes, told, timeout)
