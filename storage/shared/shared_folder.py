"""Folders that several machines reach: a path of a file system, NFS among them, or a prefix in an S3-compatible bucket.

Files in them are written once, as a whole or not at all. Nothing is renamed that others may see, since object stores
cannot; who has to be the first one writes a file that must not be there yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias, TypeVar
from uuid import uuid4

from .bucket_client import S3Options
from .bucket_folder import BucketFolder, is_bucket_url
from .local_folder import LocalFolder

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["FolderPlace", "SharedFile", "SharedFolder", "folder_at", "temporary_folder"]


T = TypeVar("T")


class SharedFile(Protocol):
    """A file of a shared folder, opened to read places of it.

    Attributes:
        size: of the file, in bytes.
    """

    @property
    def size(self) -> int:
        """Bytes of the file."""

    def read(self, ranges: Sequence[tuple[int, int]]) -> list[memoryview]:
        """Some places of the file, each from a byte to that before another one; asked for together they cost least.

        Raises:
            PipelineError: the storage does not answer, or refuses.
        """


class SharedFolder(Protocol):
    """Files by name, each written once; can be pickled, and reached by all machines of a job.

    What each method raises: `FileNotFoundError` where a file is not there, another `OSError` of the file system, and
    `PipelineError` where a bucket does not answer, also after a while, or refuses.
    """

    def write(self, name: str, pieces: Iterable[Buffer], *, sync: bool = True) -> None:
        """Write a file, there as a whole or not at all; durably unless `sync` is `False`.

        Pieces may be made as they are written: to a disk they go one by one.
        """

    def create(self, name: str, content: bytes) -> bool:
        """Write a file that is not there, durably; `False`: one is there that others have written.

        Args:
            name: of the file.
            content: tells its writer from all others, so that one that did not hear the answer knows its own again.
        """

    def read(self, name: str) -> memoryview:
        """All of a file."""

    def open(self, name: str) -> SharedFile:
        """A file to read places of."""

    def each(self, question: Callable[[str], T], names: Sequence[str]) -> list[T]:
        """What is asked of several files, in their order; of a bucket many at a time, since each answer takes its time.

        Args:
            question: asks this folder for what it needs of a file.
            names: the files.
        """

    def names(self) -> list[str]:
        """The files that are there, in no order."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove files; those that are not there are none too few."""

    def inside(self, name: str) -> Self:
        """A folder in this one."""

    def clear(self) -> None:
        """Remove the folder, and all that is in it, as far as it can be."""


FolderPlace: TypeAlias = "str | Path | SharedFolder"
"""A path, `s3://bucket/prefix`, or a shared folder itself."""


def folder_at(place: FolderPlace, options: S3Options | None = None) -> SharedFolder:
    """The folder of a place.

    Args:
        place: where.
        options: of buckets; what they leave out, the environment says.

    Raises:
        PipelineError: it is no place.
    """
    if not isinstance(place, str | Path):
        return place
    if is_bucket_url(str(place)):
        return BucketFolder.of(str(place), options or S3Options())
    return LocalFolder(Path(place))


@contextmanager
def temporary_folder(parent: SharedFolder, prefix: str) -> Iterator[SharedFolder]:
    """A folder of its own within another one, gone when the block ends."""
    own = parent.inside(f"{prefix}-{uuid4().hex[:12]}")
    try:
        yield own
    finally:
        own.clear()
