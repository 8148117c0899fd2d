"""Objects of buckets under the names that `pathlib.Path` has for files, and with the errors that those have.

What is written by a path and may be in a bucket, such as the log of an archive, need not know which it is. What object
stores cannot do is not among the names: nothing is appended, and what is renamed is copied first.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ...errors import PipelineError
from .bucket_client import S3Options, asked, object_library
from .bucket_folder import BucketFolder
from .object_listing import ObjectListing, ObjectStat
from .object_reader import ObjectReader

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["BucketPath", "StoragePath", "path_at"]


@dataclass(frozen=True, eq=False)
class BucketPath:
    """An object, or a prefix with objects below it.

    Attributes:
        key: relative to the listing's folder, without slashes around it.
        listing: knows what is there.
        found: what the listing that it comes from said of it; `None`: it is a prefix, or was not listed.

    Every method raises `OSError` where a bucket does not answer, refuses, or is full, as a file system does.
    """

    key: str
    listing: ObjectListing = field(compare=False)
    found: ObjectStat | None = field(default=None, compare=False)

    @classmethod
    def of(cls, url: str, options: S3Options) -> BucketPath:
        """That of `s3://bucket/prefix`.

        Raises:
            PipelineError: it names no bucket.
        """
        return cls("", ObjectListing(BucketFolder.of(url, options)))

    def anew(self) -> BucketPath:
        """The same, of which nothing is known."""
        return BucketPath(self.key, ObjectListing(self._folder))

    def own(self) -> None:
        """Know from now on what lies below it, since this process alone writes there."""
        with _as_file(self):
            self.listing.own(self.key)

    def disown(self) -> None:
        """Ask again each time."""
        self.listing.disown(self.key)

    def __str__(self) -> str:
        return f"{self.listing.folder}/{self.key}".rstrip("/")

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BucketPath) and self.key == other.key and self._folder == other._folder

    def __lt__(self, other: BucketPath) -> bool:
        return self.key < other.key

    def __truediv__(self, name: str) -> BucketPath:
        return BucketPath(f"{self.key}/{name}" if self.key else name, self.listing)

    @property
    def _folder(self) -> BucketFolder:
        return self.listing.folder

    @property
    def name(self) -> str:
        """The last part."""
        return (self.key or self._folder.prefix).rpartition("/")[2]

    @property
    def parent(self) -> BucketPath:
        """That which it lies below."""
        return BucketPath(self.key.rpartition("/")[0], self.listing)

    @property
    def stem(self) -> str:
        """Its name without the ending."""
        return Path(self.name).stem

    def with_name(self, name: str) -> BucketPath:
        """Another one beside it."""
        return self.parent / name

    def match(self, pattern: str) -> bool:
        """Whether a pattern fits its name."""
        return fnmatchcase(self.name, pattern)

    def absolute(self) -> BucketPath:
        """It is."""
        return self

    @property
    def changed(self) -> int | None:
        """Another number whenever something below it has changed; `None`: others may write there."""
        return self.listing.mark(self.key)

    def stat(self) -> ObjectStat:
        """Of an object."""
        with _as_file(self):
            return self.found or self.listing.stat(self.key)

    @property
    def size(self) -> int:
        """Bytes of all objects below it."""
        with _as_file(self):
            return self.listing.size(self.key)

    def exists(self) -> bool:
        """Whether there is an object, or something below it."""
        try:
            self.stat()
        except FileNotFoundError:
            return self.is_dir()
        return True

    def is_dir(self) -> bool:
        """Whether there is something below it."""
        if self.found is not None:
            return False
        with _as_file(self):
            return bool(self.listing.children(self.key))

    def iterdir(self) -> Iterator[BucketPath]:
        """What lies directly below it."""
        with _as_file(self):
            children = self.listing.children(self.key)
        return (replace(self / name, found=stat) for name, stat in children.items())

    def hidden(self) -> Iterator[BucketPath]:
        """The objects directly below it whose names begin with a dot, as the bucket has them now."""
        with _as_file(self):
            names = self.listing.hidden(self.key)
        return (self / name for name in names)

    def glob(self, pattern: str) -> Iterator[BucketPath]:
        """The objects that a pattern fits, part by part."""
        with _as_file(self):
            names = self.listing.names(self.key)
        parts = pattern.split("/")
        for name in names:
            own = name.removeprefix(f"{self.key}/").split("/")
            if len(own) == len(parts) and all(fnmatchcase(one, part) for one, part in zip(own, parts, strict=True)):
                yield BucketPath(name, self.listing)

    def open(self, mode: str = "rb") -> ObjectReader:
        """An object, to read places of it; `mode` is "rb"."""
        del mode
        with _as_file(self, known=True):
            return ObjectReader(self._folder.open(self.key), lambda: _as_file(self, known=True))

    def read_bytes(self) -> bytes:
        """All of an object."""
        with _as_file(self, known=True):
            return bytes(self._folder.read(self.key))

    def read_text(self, encoding: str = "utf-8") -> str:
        """All of an object."""
        return self.read_bytes().decode(encoding)

    def write_bytes(self, content: Buffer) -> None:
        """Put an object, in the place of another one."""
        with _as_file(self):
            self._folder.write(self.key, (content,))
            self.listing.wrote(self.key, memoryview(content).nbytes)

    def create(self, content: bytes) -> None:
        """Put an object where none is.

        Raises:
            FileExistsError: there is one, of somebody else.
        """
        with _as_file(self):
            if not self._folder.create(self.key, content):
                self.listing.doubt(self.key)
                raise FileExistsError(errno.EEXIST, "another process has written it", str(self))
            self.listing.wrote(self.key, len(content))

    def unlink(self, *, missing_ok: bool = False) -> None:
        """Delete an object."""
        if self.changed is not None or not missing_ok:
            try:
                self.stat()
            except FileNotFoundError:
                if missing_ok:
                    return
                raise
        with _as_file(self):
            self._folder.remove([self.key])
            self.listing.removed(self.key)

    def rename(self, target: BucketPath) -> None:
        """Copy an object, in the place of another one, and delete it."""
        self.become(target, first=False)

    def become(self, target: BucketPath, *, first: bool) -> None:
        """Copy an object, and delete it.

        Args:
            target: where it is then.
            first: there must be none.

        Raises:
            FileExistsError: there is one, of somebody else.
        """
        self._copy(target, overwrite=not first)
        with _as_file(self):
            self._folder.remove([self.key])
            self.listing.removed(self.key)

    def _copy(self, target: BucketPath, *, overwrite: bool) -> None:
        library = object_library()

        def question() -> bool:
            try:
                library.copy(
                    self._folder.store,
                    self._folder.key(self.key),
                    target._folder.key(target.key),
                    overwrite=overwrite,
                )
            except library.exceptions.AlreadyExistsError:  # the answer to an earlier copy may have been lost
                return self.read_bytes() == target.read_bytes()
            return True

        with _as_file(self):
            size = self.stat().st_size
            done = asked(str(target), question)
        if not done:
            target.listing.doubt(target.key)
            raise FileExistsError(errno.EEXIST, "another process has written it", str(target))
        target.listing.wrote(target.key, size)


StoragePath: TypeAlias = Path | BucketPath
"""A file or folder, or what stands for it in a bucket."""


def path_at(url: str, options: S3Options) -> BucketPath:
    """The path of `s3://bucket/prefix`."""
    return BucketPath.of(url, options)


@contextmanager
def _as_file(path: BucketPath, *, known: bool = False) -> Iterator[None]:
    """Tell what goes wrong as a file system does; an object that should be there and is not, others have removed."""
    try:
        yield
    except FileNotFoundError:
        if known:
            path.listing.doubt(path.key)
        raise FileNotFoundError(errno.ENOENT, "there is no object", str(path)) from None
    except PipelineError as error:
        cause = error.__cause__
        number = cause.errno if isinstance(cause, OSError) and cause.errno is not None else errno.EACCES
        raise OSError(number, error.message, str(path)) from error
