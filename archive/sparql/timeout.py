"""When the answer to SPARQL is given up: after some time, or when another thread says so."""

from __future__ import annotations

import threading
import time

from ...errors import ArchiveError, Place


class Timeout:
    """Runs from now on until a query is to be given up.

    Args:
        seconds: that it may take; `None`: as long as it takes.
        cancelled: when another thread sets it, the query is given up; `None`: nobody does.

    Attributes:
        cancelled: likewise.
    """

    def __init__(self, seconds: float | None, cancelled: threading.Event | None = None) -> None:
        self._seconds, self.cancelled = seconds, cancelled
        self._deadline = None if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float | None:
        """Seconds that are left, at least some; `None`: as many as it takes."""
        return None if self._deadline is None else max(0.001, self._deadline - time.monotonic())

    def check(self) -> None:
        """Go on, if somebody waits still.

        Raises:
            ArchiveError: the time is over, or the query was cancelled.
        """
        if self.cancelled is not None and self.cancelled.is_set():
            raise ArchiveError("the query was cancelled", place=Place("query"), hint="ask again")
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise ArchiveError(
                f"no answer within {self._seconds:g} s",
                place=Place("query"),
                hint="ask for a shorter time range, or allow more time",
            )
