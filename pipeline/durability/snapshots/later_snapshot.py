"""A large state is written beside the next batches: the log leads on from an older one until it is there.

What is taken of a data flow changes no more, and is there at once; making bytes of it, and these durable, takes as long
as several batches (docs/decisions/362).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

__all__ = ["LaterSnapshot"]


class LaterSnapshot:
    """Writes one snapshot at a time, in a thread of its own.

    Args:
        written: is told, in the thread of whoever asks, how many bytes a snapshot has.
        failed: is told what kept one from being written, likewise.
    """

    def __init__(self, written: Callable[[int], None], failed: Callable[[Exception], None]) -> None:
        self._written, self._failed = written, failed
        self._thread = ThreadPoolExecutor(1, "kaicep-snapshot")
        self._writing: Future[int] | None = None

    def begin(self, write: Callable[[], int]) -> None:
        """Begin with a snapshot, behind the one before.

        Args:
            write: makes it durable; its bytes.
        """
        self.settle(wait=True)
        self._writing = self._thread.submit(write)

    def settle(self, *, wait: bool = False) -> None:
        """Tell what has become of the last one, if it is known, or when it is.

        Args:
            wait: until it is.
        """
        writing = self._writing
        if writing is None or not (wait or writing.done()):
            return
        self._writing = None
        try:
            size = writing.result()
        except Exception as error:  # noqa: BLE001 - whatever it is, the state is written with the next batch
            self._failed(error)
        else:
            self._written(size)

    def close(self) -> None:
        """Wait for the last one."""
        self.settle(wait=True)
        self._thread.shutdown()
