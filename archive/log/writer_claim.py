"""Who writes a log in a bucket: the last one that has said so.

No process can look whether one on another machine lives, so that there are no locks. A writer says durably that it
begins; one that begins later takes its place. What changes segments that are there is done by the last one alone, and a
new segment counts for the one that writes it first: a writer that was thought dead and wakes up learns of it.
"""

from __future__ import annotations

import threading
from types import TracebackType
from uuid import uuid4

from ...errors import ArchiveError
from ...storage import BucketPath, StoragePath
from .segment import overtaken

__all__ = ["Settling", "WriterClaim"]

_PREFIX = ".writer-"


class WriterClaim:
    """That this process writes a log.

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
            raise overtaken(self._folder)

    def _names(self) -> list[str]:
        """As the bucket has them now, whatever this process knows."""
        listed = self._folder.anew()
        return [path.name for path in listed.iterdir() if path.name.startswith(_PREFIX)]


class Settling:
    """Held by whoever changes segments of batches before the newest one.

    Args:
        folder: of the log.

    Attributes:
        claim: of the writer, in a bucket; entered, it is made sure that it still is.
    """

    def __init__(self, folder: StoragePath) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self.claim: WriterClaim | None = None

    def __enter__(self) -> None:
        self._lock.acquire()
        try:
            if self.claim is not None:
                self.claim.check()
        except BaseException as error:
            self._lock.release()
            if isinstance(error, OSError):
                raise ArchiveError(f"{self._folder} does not answer: {error.strerror}", hint="see to it") from error
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
