"""Messages of one stream as files in the folder that it reads (docs/decisions/350).

A few messages at a time are appended to a file that grows, durably, before they are acknowledged; a moment later the
file goes into the folder as a whole, where the engine takes it and removes it.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import orjson

from ....storage import FileOrder, ProcessLock, append_durably, fsync, make_folder, rename, write_atomically

__all__ = ["Message", "MessageInbox"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message.

    Attributes:
        topic: its topic.
        payload: its bytes.
        received: when it came.
    """

    topic: str
    payload: bytes
    received: datetime

    def line(self) -> bytes:
        """As a line of JSON; a payload that is no UTF-8 is written in base64."""
        received = self.received.astimezone(UTC).isoformat(timespec="microseconds")
        try:
            body = {"payload": self.payload.decode()}
        except UnicodeDecodeError:
            body = {"bytes": base64.b64encode(self.payload).decode()}
        return orjson.dumps({"topic": self.topic, "received": received, **body}, option=orjson.OPT_APPEND_NEWLINE)


class MessageInbox:
    """Where the messages of a stream are kept until the engine has taken them; one process has it at a time.

    Args:
        folder: that the stream reads; made when it is needed.
        age: after so many seconds a file that grows goes there.
        size: or when it has so many bytes.
    """

    def __init__(self, folder: Path, age: float = 0.25, size: int = 16_000_000) -> None:
        self.folder = folder
        self._growing = folder.with_name(f"{folder.name}.growing")
        self._lock = ProcessLock(folder.with_name(f"{folder.name}.lock"))
        self._age, self._most = age, size
        self._since: float | None = None
        self._size = 0
        self._order = FileOrder(folder, "mqtt")

    def open(self, timeout: float = 0.0) -> bool:
        """Be the process that keeps messages; tell whether it is. What a killed one has left goes into the folder.

        Args:
            timeout: seconds to wait for another one.

        Raises:
            OSError: the file system refuses.
        """
        make_folder(self.folder)
        if not self._lock.acquire(timeout):
            return False
        self._order.resume()
        if self._growing.exists():
            self._cut()
            self._since = 0.0
            self.hand_over()
        return True

    def put(self, messages: Sequence[Message]) -> None:
        """Keep messages; when this returns, they survive a power cut.

        Raises:
            OSError: there is no room, or the file system refuses: nothing of them is kept.
        """
        content = b"".join(message.line() for message in messages)
        if self._since is None:
            with write_atomically(self._growing) as temporary:
                temporary.write_bytes(content)
            self._since, self._size = time.monotonic(), len(content)
        else:
            append_durably(self._growing, content)
            self._size += len(content)

    @property
    def due(self) -> float | None:
        """In how many seconds what was put goes to the engine; `None`: nothing waits for that."""
        if self._since is None:
            return None
        if self._size >= self._most:
            return 0.0
        return max(0.0, self._since + self._age - time.monotonic())

    def hand_over(self) -> None:
        """Put the file that grows into the folder, behind all others.

        Raises:
            OSError: the file system refuses; it is tried again.
        """
        if self._since is None:
            return
        turn = self._order.next()
        turn.stamp(self._growing)
        rename(self._growing, turn.path)
        fsync(self.folder)
        fsync(self.folder.parent)
        self._since, self._size = None, 0

    def waiting(self) -> int:
        """Bytes that the engine has not removed yet, which it does a batch after it has read them."""
        return self._size + self._order.waiting()

    def close(self) -> None:
        """Give what was put to the engine, and let another process keep messages.

        Raises:
            OSError: the file system refuses; the next process does it.
        """
        try:
            self.hand_over()
        finally:
            self._since = None
            self._lock.release()

    def _cut(self) -> None:
        """Drop what a crash has left of a line: nobody has acknowledged it."""
        content = self._growing.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self._growing, whole)
            fsync(self._growing)
