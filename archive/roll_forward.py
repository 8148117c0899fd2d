"""Roll forward: the store is brought up to the log where no engine is there to do it.

A run that ends leaves to whoever asks next what its store lacks; see docs/decisions/145.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic, sleep

from ..annotator import EventShape
from ..config import Settings
from ..ontology import KnowledgeBase
from .folder_layout import LOG, STORE, ArchivePlace
from .log import EventLog
from .matches import MatchLog, match_encoder
from .store import OxigraphStore, StoreDamagedError, StoreInUseError, WritableStore, encoder
from .sync import PendingWrites, StoreWriter

_TURN_S = 0.5
_PAUSE_S = 0.1
"""Longer than a process that waits for the store looks away."""


def roll_store_forward(
    settings: Settings,
    knowledge: KnowledgeBase,
    shapes: Mapping[str, EventShape],
    told: Callable[[float], object] = lambda _: None,
    timeout: float | None = None,
) -> bool:
    """Write into an archive's store what its log has, unless an engine does; one that starts meanwhile takes over.

    Args:
        settings: of the project; the store lies in the archive's own folder.
        knowledge: the store's from now on.
        shapes: stream → how its events become triples.
        told: how many events and matches are still lacking, now and then.
        timeout: seconds after which the rest is left; `None`: as long as it takes.

    Returns:
        Whether the store lacks nothing now.

    Raises:
        ArchiveError: a segment is damaged, or the file system refuses.
    """
    place, bucket = ArchivePlace.of(settings), settings.archive.bucket
    root, log, matches = place.root, EventLog(place.log(LOG)), MatchLog(place.logs)
    end = None if timeout is None else monotonic() + timeout
    while end is None or monotonic() < end:
        events = PendingWrites.of_events(log, encoder(shapes, bucket))
        found = PendingWrites.of_matches(matches.log, match_encoder(matches.provenance, bucket))
        try:
            store = OxigraphStore(root / STORE, bucket, timeout=0.0)
        except StoreDamagedError:
            store = OxigraphStore(root / STORE, bucket, timeout=0.0, later=True)  # its writer sets it aside
        except StoreInUseError:
            return False
        if _turn(store, events, found, knowledge, told):
            return True
        sleep(_PAUSE_S)
    return False


def _turn(
    store: WritableStore,
    events: PendingWrites,
    matches: PendingWrites,
    knowledge: KnowledgeBase,
    told: Callable[[float], object],
) -> bool:
    """Write for a moment, and let go of the store; tell whether it lacks nothing."""
    try:
        writer = StoreWriter(events, matches, store, knowledge)
        try:
            done = writer.flush(_TURN_S)
        finally:
            writer.close()
        told(writer.lag.events + writer.lag.matches)
        return done
    finally:
        store.close()
