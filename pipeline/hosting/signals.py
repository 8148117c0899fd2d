"""Requests to stop, noted while Spark is at work."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from types import FrameType, TracebackType
from typing import Self

__all__ = ["Signals"]


_PATIENCE_S = 15.0
_LEFT = "what is at work does not end: it is left, and done again at the next start"


class Signals:
    """Notes the first Ctrl-C or request to terminate instead of raising it amid a call to Spark; a second raises.

    Whatever happens then, the process ends: what is at work may be a call of a library that takes no sign to stop. All
    that is durable is so at any moment, so what is left is done again.

    Args:
        patience: seconds from the first to then.
    """

    def __init__(self, patience: float = _PATIENCE_S) -> None:
        self._patience = patience
        self._over = threading.Event()
        self.received: signal.Signals | None = None
        self._before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def __enter__(self) -> Self:
        # The interpreter calls handlers between two of its steps, and writes here at once.
        self._told, self._tells = socket.socketpair()
        self._tells.settimeout(0)
        self._woken = signal.set_wakeup_fd(self._tells.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._watch, name="kaicep-signals", daemon=True).start()
        for number in self._before:
            signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._woken)
        self._over.set()
        self._tells.close()

    def _watch(self) -> None:
        """End the process when it does not end by itself."""
        with self._told:
            numbers = self._told.recv(1)
            while numbers and numbers[0] not in self._before:
                numbers = self._told.recv(1)
        if numbers and not self._over.wait(self._patience):
            sys.stderr.write(f"{_LEFT}\n")
            sys.stderr.flush()
            os._exit(128 + numbers[0])

    def _note(self, number: int, _: FrameType | None) -> None:
        self.received = signal.Signals(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def raise_received(self) -> None:
        """Leave as the signal asks for."""
        if self.received is signal.SIGINT:
            raise KeyboardInterrupt
        if self.received is not None:
            raise SystemExit(128 + self.received)
