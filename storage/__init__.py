"""Bytes in, durable files out: atomic writes and locks between processes; compressed files as what they hold.

Folders that several machines reach are paths, or prefixes in buckets. Work that others wait for says how far it is.
"""

from __future__ import annotations

from .atomic_write import append_durably
from .checked_text import read_checked, write_checked
from .child_process import MOST_MEMORY, ChildProcess, serve_parent
from .compression import COMPRESSIONS, UNPACKING_ERRORS, open_unpacked, uncompressed_name, unpack
from .disk_usage import folder_size
from .encoded_name import folder_name, name_of_folder
from .file_mode import masked
from .file_order import FileOrder
from .mirrored_file import (
    DamagedFileError,
    is_damaged,
    is_intact,
    mirrored_files,
    read_mirrored,
    remove_mirrored,
    write_mirrored,
)
from .process_lock import ProcessLock, is_running
from .shared import (
    BucketFile,
    BucketFolder,
    BucketPath,
    FolderPlace,
    LocalFolder,
    S3Options,
    SharedFile,
    SharedFolder,
    StoragePath,
    bucket_files,
    folder_at,
    is_bucket_url,
    path_at,
    temporary_folder,
)
from .storage_path import (
    fsync,
    make_folder,
    remove_temporaries,
    rename,
    sorted_files,
    unfinished_files,
    write_atomically,
)
from .transient_errors import is_transient
from .work_stage import SETTLED, Telling, untold

__all__ = [
    "COMPRESSIONS",
    "MOST_MEMORY",
    "SETTLED",
    "UNPACKING_ERRORS",
    "BucketFile",
    "BucketFolder",
    "BucketPath",
    "ChildProcess",
    "DamagedFileError",
    "FileOrder",
    "FolderPlace",
    "LocalFolder",
    "ProcessLock",
    "S3Options",
    "SharedFile",
    "SharedFolder",
    "StoragePath",
    "Telling",
    "append_durably",
    "bucket_files",
    "folder_at",
    "folder_name",
    "folder_size",
    "fsync",
    "is_bucket_url",
    "is_damaged",
    "is_intact",
    "is_running",
    "is_transient",
    "make_folder",
    "masked",
    "mirrored_files",
    "name_of_folder",
    "open_unpacked",
    "path_at",
    "read_checked",
    "read_mirrored",
    "remove_mirrored",
    "remove_temporaries",
    "rename",
    "serve_parent",
    "sorted_files",
    "temporary_folder",
    "uncompressed_name",
    "unfinished_files",
    "unpack",
    "untold",
    "write_atomically",
    "write_checked",
    "write_mirrored",
]
