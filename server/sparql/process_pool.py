"""Some processes for all who ask: who comes first is answered first, and nobody waits for ever."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Concatenate

import pyoxigraph as ox

from ..problem import ProblemError
from .store_process import Found, Given, StoreProcess

__all__ = ["ProcessPool"]


class ProcessPool:
    """A few processes that answer requests.

    Args:
        size: how many.
        writable: see `StoreProcess`; then there is one, since a store is written by one process.
        first: likewise.
    """

    def __init__(
        self,
        size: int,
        *,
        writable: bool = False,
        first: tuple[Callable[..., object], *tuple[Any, ...]] | None = None,
    ) -> None:
        self._all = [StoreProcess(writable=writable, first=first) for _ in range(size)]
        # The one that was at work last is asked first: those that nobody needs are not even begun.
        self._free: queue.LifoQueue[StoreProcess] = queue.LifoQueue()
        for process in self._all:
            self._free.put(process)

    def start(self) -> None:
        """Begin them, so that nobody waits for that."""
        for process in self._all:
            process.start()

    def call(
        self,
        folder: Path | None,
        seconds: float,
        do: Callable[Concatenate[ox.Store, Given], Found],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        """As `StoreProcess.call`, by the next process that is free.

        Raises:
            ProblemError: as there; or none is free in that time.
        """
        with self._taken(seconds) as process:
            return process.call(folder, seconds, do, *args, **named)

    def close(self) -> None:
        """End them; whoever waits for an answer gets none."""
        for process in self._all:
            process.close()

    @contextmanager
    def _taken(self, seconds: float) -> Iterator[StoreProcess]:
        began = time.monotonic()
        try:
            process = self._free.get(timeout=seconds)
        except queue.Empty:
            waited = f"all processes that answer are at work, for {time.monotonic() - began:.0f} s"
            raise ProblemError(503, waited, "ask again later, or let there be more workers", Retry_After="5") from None
        try:
            yield process
        except ProblemError:
            threading.Thread(target=self._renewed, args=(process,), daemon=True).start()
            raise
        except BaseException:
            self._free.put(process)
            raise
        else:
            self._free.put(process)

    def _renewed(self, process: StoreProcess) -> None:
        """Begin a process again that was ended, and only then let others have it."""
        with suppress(ProblemError):
            process.start()
        self._free.put(process)
