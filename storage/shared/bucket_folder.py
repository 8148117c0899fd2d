"""A shared folder that is a prefix in an S3-compatible bucket."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from ...errors import PipelineError
from .bucket_client import S3Options, asked, bucket_store, object_library

if TYPE_CHECKING:
    from obstore.store import S3Store
    from typing_extensions import Buffer

__all__ = ["BucketFolder", "is_bucket_url"]

T = TypeVar("T")

_LOG = logging.getLogger("kaicep")
_URL = re.compile(r"s3a?:/{1,2}([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(.*))?")
_NO_RANGE = re.compile(r"status code: 416|NotPartial")
_TAIL = 1 << 18
"""So many bytes of the end of a file come with its size; small ones are there with them."""
_AT_ONCE = 16
_WHOLE = 1 << 23
"""Pieces of so many bytes are put together and sent at one go; more goes in parts."""


def is_bucket_url(place: str) -> bool:
    """Whether a place is in a bucket; a path that has eaten a slash of it as well."""
    return place.startswith(("s3:/", "s3a:/"))


@dataclass(frozen=True, slots=True)
class BucketFolder:
    """Objects of a prefix; see `SharedFolder`.

    Attributes:
        bucket: its name.
        prefix: without slashes around it; empty: the whole bucket.
        options: how it is reached.
    """

    bucket: str
    prefix: str
    options: S3Options

    @classmethod
    def of(cls, url: str, options: S3Options) -> BucketFolder:
        """The folder of `s3://bucket/prefix`.

        Raises:
            PipelineError: it names no bucket.
        """
        found = _URL.fullmatch(url)
        if found is None:
            raise PipelineError(
                f"'{url}' names no bucket", hint="write s3://bucket/prefix, the bucket in small letters"
            )
        return cls(found[1], (found[2] or "").strip("/"), options)

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")

    @property
    def store(self) -> S3Store:
        """The client of this process."""
        return bucket_store(self.bucket, self.options)

    def key(self, name: str) -> str:
        """The name of an object in the bucket."""
        return f"{self.prefix}/{name}" if self.prefix else name

    def write(self, name: str, pieces: Iterable[Buffer], *, sync: bool = True) -> None:
        """Put an object; it is there, durably, when all of it is."""
        del sync
        library, views = object_library(), [memoryview(piece).cast("B") for piece in pieces]
        if sum(view.nbytes for view in views) <= _WHOLE:
            content = b"".join(views)
            asked(f"{self}/{name}", lambda: library.put(self.store, self.key(name), content))
        else:
            asked(f"{self}/{name}", lambda: library.put(self.store, self.key(name), iter(views), chunk_size=_WHOLE))

    def create(self, name: str, content: bytes) -> bool:
        """Put an object if there is none (`If-None-Match: *`).

        Who asks again since an answer was lost, and two that are under way at once, may be told that there is one: what
        is there then tells whose it is.
        """
        library = object_library()

        def question() -> bool:
            try:
                library.put(self.store, self.key(name), content, mode="create")
            except library.exceptions.AlreadyExistsError:
                try:
                    return bytes(library.get(self.store, self.key(name)).bytes()) == content
                except FileNotFoundError:
                    raise library.exceptions.GenericError("status code: 409") from None  # neither has come first
            return True

        return asked(f"{self}/{name}", question)

    def read(self, name: str) -> memoryview:
        """All of an object."""
        library = object_library()
        return asked(f"{self}/{name}", lambda: memoryview(library.get(self.store, self.key(name)).bytes()))

    def open(self, name: str) -> ObjectFile:
        """An object to read ranges of."""
        return ObjectFile(self, name)

    def each(self, question: Callable[[str], T], names: Sequence[str]) -> list[T]:
        """Many at a time."""
        if len(names) < 2:
            return [question(name) for name in names]
        with ThreadPoolExecutor(min(_AT_ONCE, len(names))) as pool:
            return list(pool.map(question, names))

    def names(self, patience: float | None = None) -> list[str]:
        """The objects, but those with a further slash in their names; see `asked` for the patience."""
        library, prefix = object_library(), self.key("")
        found = asked(
            str(self),
            lambda: library.list_with_delimiter(self.store, self.prefix or None)["objects"],
            patience=patience,
        )
        return [one["path"].removeprefix(prefix) for one in found]

    def remove(self, names: Iterable[str]) -> None:
        """Delete objects, many at one go."""
        library, keys = object_library(), [self.key(name) for name in names]
        if keys:
            asked(str(self), lambda: library.delete(self.store, keys))

    def inside(self, name: str) -> BucketFolder:
        """A longer prefix."""
        return replace(self, prefix=self.key(name))

    def clear(self) -> None:
        """Delete all objects of the prefix; those that cannot be deleted now are told of."""
        try:
            asked(str(self), self._delete_all, patience=0)
        except PipelineError as error:
            _LOG.warning("what lies in %s is left there: %s", self, error)

    def _delete_all(self) -> None:
        library = object_library()
        for some in library.list(self.store, self.prefix or None, chunk_size=1_000):
            library.delete(self.store, [one["path"] for one in some])


class ObjectFile:
    """An object of a bucket, of which ranges are read; see `SharedFile`.

    Raises:
        FileNotFoundError: there is none.
        PipelineError: the bucket does not answer, or refuses.
    """

    def __init__(self, folder: BucketFolder, name: str) -> None:
        self._folder, self._name = folder, name
        library = object_library()

        def question() -> tuple[int, memoryview]:
            try:
                found = library.get(folder.store, folder.key(name), options={"range": {"suffix": _TAIL}})
            except library.exceptions.GenericError as error:
                if not _NO_RANGE.search(str(error)):
                    raise
                found = library.get(folder.store, folder.key(name))  # it is empty
            return found.meta["size"], memoryview(found.bytes())

        self.size, self._tail = asked(f"{folder}/{name}", question)

    def read(self, ranges: Sequence[tuple[int, int]]) -> list[memoryview]:
        """Ranges; those that lie near each other are one request."""
        start = self.size - len(self._tail)
        far = [(first, end) for first, end in ranges if first < min(start, end)]
        read = dict(zip(far, self._fetched(far), strict=True))
        return [
            read.get((first, end), self._tail[max(first - start, 0) : max(end - start, 0)]) for first, end in ranges
        ]

    def _fetched(self, ranges: Sequence[tuple[int, int]]) -> list[memoryview]:
        if not ranges:
            return []
        library, folder = object_library(), self._folder
        starts, ends = zip(*ranges, strict=True)
        found = asked(
            f"{folder}/{self._name}",
            lambda: library.get_ranges(folder.store, folder.key(self._name), starts=starts, ends=ends),
        )
        return [memoryview(one) for one in found]
