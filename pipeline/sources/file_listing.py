"""Which files a path of recorded events means: a file, the files of a folder, or those of a glob pattern.

Likewise of a URL `s3://bucket/…`: an object, those of a prefix, or those of a pattern.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from ...storage import BucketFile, S3Options, bucket_files, is_bucket_url, uncompressed_name

__all__ = ["FILE_FORMATS", "RecordFile", "list_files", "record_files", "with_objects"]

RecordFile: TypeAlias = Path | BucketFile
"""A file of records: of a file system, or in a bucket."""

FILE_FORMATS = {
    ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet",
}  # fmt: skip
"""The formats by the endings of files, that of compression aside."""


def list_files(path: Path) -> list[Path]:
    """Return the files in order of their names; the path itself where it is a file, or nothing can be listed.

    Of a folder those with a known ending are meant; a folder of folders, such as partitions of Parquet, is left as it
    is. Names that begin with `.` or `_` are not meant, as with Spark.
    """
    if path.is_dir():
        inside = sorted(path.iterdir())
    elif not path.exists() and glob.has_magic(str(path)):
        root = Path(path.anchor) if path.anchor else Path()
        inside = sorted(root.glob(str(path.relative_to(root))))
    else:
        return [path]
    if any(found.is_dir() and "=" in found.name for found in inside):
        return [path]
    files = [found for found in inside if found.is_file() and found.name[0] not in "._"]
    return [found for found in files if _is_known(found.name)] or files or [path]


def record_files(places: Iterable[str | PathLike[str] | BucketFile]) -> list[RecordFile]:
    """The files that paths mean, one after the other; objects are meant as they are."""
    return [
        file for place in places for file in ([place] if isinstance(place, BucketFile) else list_files(Path(place)))
    ]


def with_objects(recording: Any, options: S3Options) -> Any:
    """A recording whose URLs in buckets have become the objects that they mean; whatever else it is, it stays.

    Raises:
        PipelineError: there are none, or the bucket does not answer.
    """
    parts = [recording] if isinstance(recording, str) else recording
    paths = isinstance(parts, Sequence) and isinstance(next(iter(parts), None), str | PathLike)
    if not paths or not any(_is_url(part) for part in parts):
        return recording
    return [file for part in parts for file in (_objects(part, options) if _is_url(part) else [part])]


def _is_url(part: object) -> bool:
    return isinstance(part, str) and is_bucket_url(part)


def _objects(url: str, options: S3Options) -> list[BucketFile]:
    found = [file for file in bucket_files(url, options) if file.name[0] not in "._"]
    return [file for file in found if _is_known(file.name)] or found


def _is_known(name: str) -> bool:
    return Path(uncompressed_name(name)).suffix.lower() in FILE_FORMATS
