"""A path or a URL in; a folder that several machines reach, whose files are written once and as a whole, out."""

from __future__ import annotations

from .bucket_client import S3Options
from .bucket_file import BucketFile, bucket_files
from .bucket_folder import BucketFolder, is_bucket_url
from .bucket_path import BucketPath, StoragePath, path_at
from .local_folder import LocalFolder
from .shared_folder import FolderPlace, SharedFile, SharedFolder, folder_at, temporary_folder

__all__ = [
    "BucketFile",
    "BucketFolder",
    "BucketPath",
    "FolderPlace",
    "LocalFolder",
    "S3Options",
    "SharedFile",
    "SharedFolder",
    "StoragePath",
    "bucket_files",
    "folder_at",
    "is_bucket_url",
    "path_at",
    "temporary_folder",
]
