"""Which files a path of recorded events means: a file, the files of a folder, or those of a glob pattern."""

from __future__ import annotations

import glob
from pathlib import Path

from ...storage import uncompressed_name

__all__ = ["FILE_FORMATS", "list_files"]

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
    return [found for found in files if _ending(found) in FILE_FORMATS] or files or [path]


def _ending(path: Path) -> str:
    return Path(uncompressed_name(path.name)).suffix.lower()
