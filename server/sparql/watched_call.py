"""A call that is heard of while a process does it, and that can be given up until it changes something."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...storage import SETTLED, ChildProcess, Telling, untold
from ..problem import ProblemError

__all__ = ["WatchedCall"]


class WatchedCall:
    """What becomes of a call, for whoever waits for it; any thread may ask.

    Args:
        told: hears how far it is.

    Attributes:
        told: see above.
        withdraw: takes back what the process, by its number, has asked of others, while it stands still; tells whether
            nothing of that is done.
    """

    def __init__(self, told: Telling = untold) -> None:
        self.withdraw: Callable[[int], bool] = lambda _: True
        self.told = told
        self._lock = threading.Lock()
        self._child: ChildProcess | None = None
        self._cancelled = self._settled = False

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for it any more."""
        return self._cancelled

    def check(self) -> None:
        """Refuse to go on when nobody waits for it.

        Raises:
            ProblemError: 409.
        """
        if self._cancelled:
            raise ProblemError(409, "it was cancelled")

    @contextmanager
    def done_by(self, child: ChildProcess) -> Iterator[None]:
        """Let a process do it until this ends.

        Raises:
            ProblemError: 409, nobody waits for it any more.
        """
        with self._lock:
            self.check()
            self._child = child
        try:
            yield
        finally:
            with self._lock:
                self._child = None

    def hear(self, stage: str, share: float) -> None:
        """Hear how far it is; see `Telling`. From the stage `SETTLED` on it is finished, whatever happens.

        Raises:
            ProblemError: 409, nobody waits for it any more.
        """
        with self._lock:
            self.check()
            self._settled = self._settled or stage == SETTLED
        self.told(stage, share)

    def cancel(self) -> bool:
        """Give it up; tell whether that could be, and nothing of it is done."""
        with self._lock:
            if not self._settled and self._child is not None:
                self._child.stop(wait=True)
                self._settled = not self.withdraw(self._child.number)
                if self._settled:
                    self._child.go_on()
                else:
                    self._child.kill()
            self._cancelled = not self._settled
            return self._cancelled
