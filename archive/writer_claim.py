"""Who writes a log in a bucket: the last one that has said so.

No process can look whether one on another machine lives, so that there are no locks. A writer says durably that it
begins; one that begins later takes its place. New segments are put where none is: a writer that was thought dead and
wakes up meets those of its successor, and learns of it. What changes segments that are there looks beforehand.
"""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType
from uuid import uuid4

from ..errors import ArchiveError, Place
from ..storage import BucketPath, StoragePath, fsync, rename

__all__ = ["Settling", "WriterClaim"]

_PREFIX = ".writer-"


class WriterClaim:
    """That this process writes a log, and what it writes.

    Args:
        folder: of the log.

    Raises:
        OSError: the bucket does not answer.
    """

    def __init__(self, folder: BucketPath) -> None:
        self._folder = folder
        while True:
            earlier = self._names()
            self._name = f"{_PREFIX}{max((int(name[len(_PREFIX) :]) for name in earlier), default=0) + 1:09}"
            try:
                (folder / self._name).create(uuid4().hex.encode())
            except FileExistsError:  # somebody else has begun at this moment
                continue
            break
        for name in earlier:
            (folder / name).unlink(missing_ok=True)

    def check(self) -> None:
        """Make sure that nobody has begun since.

        Raises:
            ArchiveError: somebody has.
            OSError: the bucket does not answer.
        """
        if max(self._names(), default=self._name) != self._name:
            raise ArchiveError(
                "another process writes this archive",
                place=Place(str(self._folder)),
                hint="let one of them run: end the other one and begin again, or give each a log of its own",
            )

    def put(self, path: BucketPath, content: bytes) -> None:
        """Put a segment; one that is there, and that this writer does not know, is its own if nobody has begun since.

        Raises:
            ArchiveError: somebody has.
            OSError: the bucket does not answer, or takes no more.
        """
        if not path.exists():
            try:
                path.create(content)
            except FileExistsError:  # the answer to an earlier attempt was lost
                self.check()
            else:
                return
        path.write_bytes(content)

    def name(self, written: BucketPath, path: BucketPath) -> None:
        """Let a segment that was written under another name count; else as `put`."""
        if not path.exists():
            try:
                written.become(path, first=True)
            except FileExistsError:
                self.check()
            else:
                return
        written.become(path, first=False)

    def _names(self) -> list[str]:
        """As the bucket has them now, whatever this process knows."""
        return [path.name for path in self._folder.anew().iterdir() if path.name.startswith(_PREFIX)]


class Settling:
    """Held by whoever changes segments of batches before the newest one; writes segments as the log's place wants it.

    Args:
        folder: of the log.

    Attributes:
        claim: of the writer, in a bucket; entered, it is made sure that it still is.
    """

    def __init__(self, folder: StoragePath) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self.claim: WriterClaim | None = None

    def put(self, path: BucketPath, content: bytes) -> None:
        """Put a segment in a bucket; see `WriterClaim.put`."""
        if self.claim is None:
            path.write_bytes(content)
        else:
            self.claim.put(path, content)

    def name(self, written: StoragePath, path: StoragePath) -> None:
        """Let a segment have its name; see `WriterClaim.name`."""
        if isinstance(written, Path) and isinstance(path, Path):
            rename(written, path)
            fsync(path.parent)
        elif isinstance(written, BucketPath) and isinstance(path, BucketPath) and self.claim is not None:
            self.claim.name(written, path)

    def __enter__(self) -> None:
        self._lock.acquire()
        try:
            if self.claim is not None:
                self.claim.check()
        except BaseException:
            self._lock.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
