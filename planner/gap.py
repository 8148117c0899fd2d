"""The gap between what the archive holds and what comes live: known by position, not guessed (paper §6.2)."""

from __future__ import annotations

import time
from datetime import timedelta

from ..archive import EventLog, Position
from ..errors import PlanError

_POLL_S = 0.002


def wait_for_archive(log: EventLog, upto: Position | None, patience: timedelta) -> None:
    """Wait until a log holds every batch before the live stream: a positive gap closes by itself.

    Args:
        log: perhaps written by another process.
        upto: the last batch before what comes live; `None`: nothing is on its way.
        patience: how long to wait for it.

    Raises:
        PlanError: it did not come.
    """
    deadline = time.monotonic() + patience.total_seconds()
    while upto is not None and (not (known := log.positions()) or known[-1] < upto):
        if time.monotonic() > deadline:
            held = f"ends with batch {known[-1]}" if known else "is empty"
            raise PlanError(
                f"batch {upto} is not in the archive, whose log {held}",
                hint="see whether the archive is written, or give it more time: in_flight under [archive]",
            )
        time.sleep(_POLL_S)
