"""The heartbeat: makes a batch when one is needed and no record comes (docs/decisions/071)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

__all__ = ["Heartbeat", "beat"]

_LOG = logging.getLogger("kaicep")
_MOST_OFTEN, _LEAST_OFTEN = 0.05, 1.0
_KEPT = 3


class Heartbeat:
    """Drops a file into the folder of a source of the stream whenever `needed` says so; at most one is unanswered.

    A source that beats by itself (Spark's rate source) would cost an idle engine a batch each second, and would make
    Spark read everything there is as one batch when it is told to read that and end.

    Args:
        folder: the source's.
        needed: asked again and again, on a thread of its own.
        patience: what `needed` depends on changes in such times; it is asked several times as often.
    """

    def __init__(self, folder: Path, needed: Callable[[], bool], patience: timedelta) -> None:
        self._folder = folder
        self._needed = needed
        self._pause = min(max(patience.total_seconds() / 4, _MOST_OFTEN), _LEAST_OFTEN)
        self._stopping = threading.Event()
        self._unanswered = threading.Event()
        self._told = ""
        self._thread = threading.Thread(target=self._run, name="kaicep-heartbeat", daemon=True)
        self._thread.start()

    def answered(self) -> None:
        """Note that a batch has begun."""
        self._unanswered.clear()

    def stop(self) -> None:
        """Beat no more."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(self._pause):
            try:
                if not self._unanswered.is_set() and self._needed():
                    beat(self._folder)
                    self._unanswered.set()
            except Exception as error:  # noqa: BLE001 - without a beat nothing would ever wake the engine again
                if str(error) != self._told:
                    _LOG.warning("the heartbeat failed, and is tried again: %s", error)
                self._told = str(error)


def beat(folder: Path) -> None:
    """Drop a file that makes a batch; those that were answered long ago go.

    Args:
        folder: of the source.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = sorted(folder.glob("[0-9]*"))
    for old in files[: -_KEPT + 1]:
        old.unlink(missing_ok=True)
    (folder / f"{time.time_ns():020d}").touch()
