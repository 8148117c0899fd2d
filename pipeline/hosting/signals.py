"""Requests to stop, noted while Spark is at work."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Self

__all__ = ["Signals"]


class Signals:
    """Notes the first Ctrl-C or request to terminate instead of raising it amid a call to Spark; a second raises."""

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def __enter__(self) -> Self:
        for number in self._before:
            signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: FrameType | None) -> None:
        self.received = signal.Signals(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def raise_received(self) -> None:
        """Leave as the signal asks for."""
        if self.received is signal.SIGINT:
            raise KeyboardInterrupt
        if self.received is not None:
            raise SystemExit(128 + self.received)
