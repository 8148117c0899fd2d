"""Writes the status of an engine again and again, on a thread of its own: a batch that hangs does not silence it."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

from .engine_status import EngineStatus, status_bytes, status_file
from .metrics import write_metrics

__all__ = ["StatusWriter"]

_LOG = logging.getLogger("kaicep")
_EVERY_S = 1.0


class StatusWriter:
    """Writes what an engine says of itself each second, and its last words at the end.

    What cannot be written is logged once, until it can be again; nothing else of the engine depends on it.

    Args:
        state: the engine's folder.
        metrics: the file of the metrics; `None`: none is wanted.
        describe: the status of now.
        every: seconds between two.
    """

    def __init__(
        self, state: Path, metrics: Path | None, describe: Callable[[], EngineStatus], *, every: float = _EVERY_S
    ) -> None:
        self._file, self._metrics, self._describe, self._every = status_file(state), metrics, describe, every
        self._trouble = False
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kaicep-status", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Write the last words, and no more."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        last = False
        while not last:
            last = self._stopping.wait(self._every)
            try:
                self._write(self._describe())
                self._trouble = False
            except Exception as error:  # noqa: BLE001 - a status that cannot be told must not end the telling
                if not self._trouble:
                    _LOG.warning("the engine's status cannot be written: %s", error)
                self._trouble = True

    def _write(self, status: EngineStatus) -> None:
        # Not synced: the one of a second ago is as good, and a disk would be busy with nothing else.
        temporary = self._file.with_suffix(f".{os.getpid()}.part")
        try:
            temporary.write_bytes(status_bytes(status))
            temporary.replace(self._file)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        if self._metrics is not None:
            write_metrics(self._metrics, status)
