"""The gap between what the archive holds and what comes live: known by position, not guessed (paper §6.2)."""

from __future__ import annotations

import time
from datetime import timedelta

from ..archive import Archive
from ..archive.log import Position
from ..errors import PlanError

_POLL_S = 0.002


def wait_for_archive(archive: Archive, upto: Position | None, timeout: timedelta) -> None:
    """Wait until the log holds every batch before the live stream: a positive gap closes by itself.

    Args:
        archive: written on another thread.
        upto: the last batch before what comes live; `None`: nothing is on its way.
        timeout: how long to wait for it.

    Raises:
        PlanError: it did not come.
    """
    deadline = time.monotonic() + timeout.total_seconds()
    while upto is not None and ((known := archive.last) is None or known < upto):
        if time.monotonic() > deadline:
            held = "is empty" if known is None else f"ends with batch {known}"
            raise PlanError(
                f"batch {upto} is not in the archive, whose log {held}",
                hint="see whether the archive is written, or give it more time: in_flight under [archive]",
            )
        time.sleep(_POLL_S)
