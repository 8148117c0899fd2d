"""Looks into buckets for new objects, for as long as streams are read."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from ....errors import PipelineError
from .listed_objects import ListedObjects

__all__ = ["ObjectWatch"]

_LEAST_OFTEN_S = 1.0
_LOG = logging.getLogger("kaicep")


class ObjectWatch:
    """Lists on a thread of its own until `stop`; a bucket that is away is told of once, and looked into again.

    Args:
        listings: by stream; perhaps none.
        pause: seconds between two lists, at least a second.
        say: takes a line of the log.
    """

    def __init__(
        self, listings: Mapping[str, ListedObjects], pause: float, say: Callable[[str], None] = _LOG.info
    ) -> None:
        self._listings, self._pause, self._say = listings, max(pause, _LEAST_OFTEN_S), say
        self._troubles: dict[str, str] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kaicep-object-watch", daemon=True)
        if listings:
            self._thread.start()

    def stop(self) -> None:
        """List no more."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while True:
            for stream, listing in self._listings.items():
                self._find(stream, listing)
            if self._stopping.wait(self._pause):
                return

    def _find(self, stream: str, listing: ListedObjects) -> None:
        try:
            listing.find(patience=0.0)
        except (PipelineError, OSError) as error:
            told = error.message if isinstance(error, PipelineError) else str(error)
            if stream not in self._troubles:
                self._say(f"streams.{stream}: {told}; its objects are listed when that has passed")
            self._troubles[stream] = told
        else:
            if self._troubles.pop(stream, None) is not None:
                self._say(f"streams.{stream}: its objects are listed again")
