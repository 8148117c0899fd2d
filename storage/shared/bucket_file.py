"""Objects of buckets, read as files are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from glob import has_magic
from io import BytesIO
from pathlib import PurePosixPath

from ...errors import PipelineError
from .bucket_client import S3Options
from .bucket_folder import BucketFolder

__all__ = ["BucketFile", "bucket_files"]


@dataclass(frozen=True)
class BucketFile:
    """An object that is read as a whole, with the names that `Path` has for it.

    Attributes:
        folder: the prefix that it lies in.
        name: behind that.
    """

    folder: BucketFolder
    name: str

    @classmethod
    def of(cls, url: str, key: str, options: S3Options) -> BucketFile:
        """One by its key, in the bucket of a URL."""
        parent, _, name = key.rpartition("/")
        return cls(BucketFolder(BucketFolder.of(url, options).bucket, parent, options), name)

    def __str__(self) -> str:
        return f"{self.folder}/{self.name}"

    @property
    def suffix(self) -> str:
        """The ending of its name."""
        return PurePosixPath(self.name).suffix

    @property
    def stem(self) -> str:
        """Its name without that."""
        return PurePosixPath(self.name).stem

    def is_dir(self) -> bool:
        """It is none."""
        return False

    def exists(self) -> bool:
        """Whether it is there."""
        try:
            self.folder.open(self.name)
        except FileNotFoundError:
            return False
        return True

    @cached_property
    def _content(self) -> memoryview:
        return self.folder.read(self.name)

    def open(self, mode: str) -> BytesIO:
        """Its content, to read; `mode` is "rb"."""
        del mode
        return BytesIO(self._content)

    def read_bytes(self) -> bytes:
        """Its content."""
        return bytes(self._content)

    def unread(self) -> BucketFile:
        """The same, whose content nobody has read: what this one reads goes with it."""
        return BucketFile(self.folder, self.name)

    def __getstate__(self) -> tuple[BucketFolder, str]:
        """Without its content: whoever is sent it reads it."""
        return self.folder, self.name

    def __setstate__(self, state: tuple[BucketFolder, str]) -> None:
        self.__dict__.update(zip(("folder", "name"), state, strict=True))


def bucket_files(
    url: str, options: S3Options, *, patience: float | None = None, empty: bool = False
) -> list[BucketFile]:
    """The objects that a URL means: one, those of a prefix, or those that a pattern fits, in order of their names.

    A pattern's last part alone may have wildcards.

    Args:
        url: `s3://bucket/…`.
        options: how it is reached.
        patience: for so many seconds a bucket that does not answer is asked again; `None`: for a minute.
        empty: whether there may be none.

    Raises:
        PipelineError: there is none, or the bucket does not answer.
    """
    whole = BucketFolder.of(url, options)
    place = PurePosixPath(whole.prefix)
    parent = BucketFolder(whole.bucket, str(place.parent).removeprefix("."), options)
    beside = [] if url.endswith("/") or not whole.prefix else parent.names(patience)
    if has_magic(whole.prefix):
        names, folder = [name for name in beside if PurePosixPath(name).match(place.name)], parent
    elif place.name in beside:
        names, folder = [place.name], parent
    else:
        names, folder = whole.names(patience), whole
    if not names and not empty:
        raise PipelineError(
            f"there is nothing at {url}", hint="name an object, a prefix, or a pattern such as …/*.json"
        )
    return [BucketFile(folder, name) for name in sorted(names)]
