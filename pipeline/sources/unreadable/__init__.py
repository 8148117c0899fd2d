"""Files of a batch that cannot be read: which they are, why, and the rest of the batch."""

from __future__ import annotations

from .listed_files import ListedFiles, arrived, by_stream, path_of, torn_files
from .read_failures import ReadablePart, is_of_a_file, readable_part, rows_beside
from .unreadable_file import GONE, FileState, UnreadableFile, file_state, reading_error

__all__ = [
    "GONE",
    "FileState",
    "ListedFiles",
    "ReadablePart",
    "UnreadableFile",
    "arrived",
    "by_stream",
    "file_state",
    "is_of_a_file",
    "path_of",
    "readable_part",
    "reading_error",
    "rows_beside",
    "torn_files",
]
