"""A receiver that lets one wait: after a while it is said what is waited for, and until when."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

__all__ = ["ReplayPatience"]

_SILENT = timedelta(seconds=3)
_LOOKS = 6
"""So often within that time somebody looks whether it is over."""


class ReplayPatience:
    """Says what is waited for, once for each time that it takes long; begins and ends as a context.

    Args:
        receiver: what is sent to.
        patience: how long it may be away before that is an error.
        say: hears a line, in a thread of its own.
        silent: so long nothing is said.
    """

    def __init__(
        self, receiver: str, patience: timedelta, say: Callable[[str], object], silent: timedelta = _SILENT
    ) -> None:
        self._receiver, self._patience, self._say = receiver, patience, say
        self._silent_s = silent.total_seconds()
        self._since: float | None = None
        self._ended = threading.Event()
        self._watching = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._watching.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._watching.join()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """As long as the receiver has not acknowledged what it was sent."""
        self._since = time.monotonic()
        try:
            yield
        finally:
            self._since = None

    def _watch(self) -> None:
        said: float | None = None
        while not self._ended.wait(self._silent_s / _LOOKS):
            since = self._since
            if since is None or since == said:
                continue
            waited = time.monotonic() - since
            if waited >= self._silent_s:
                said = since
                until = datetime.now().astimezone() - timedelta(seconds=waited) + self._patience
                self._say(f"waiting for {self._receiver}, until {until:%H:%M:%S} if it is away; Ctrl-C ends it")
