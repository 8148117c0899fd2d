"""A project whose stream is read from a bucket."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kaicep.config import Settings
from kaicep.storage import BucketFolder

from .buckets import ObjectStorage

__all__ = ["put", "settings_of"]


def settings_of(root: Path, path: str, storage: ObjectStorage | None = None, **source: Any) -> Settings:
    """A project with one stream in a bucket."""
    options = None if storage is None else storage.options
    table = {} if options is None else {"endpoint": options.endpoint, "region": "us-east-1", "allow_http": True}
    stream = {"event_type": "urn:x:air", "source": {"format": "json", "path": path, **source}}
    content = {"streams": {"air": {**stream, "time": {"attribute": "t"}}}, "s3": table}
    return Settings.parse(content, root=root)


def put(folder: BucketFolder, *names: str) -> None:
    for name in names:
        folder.write(name, [b"{}\n"])
